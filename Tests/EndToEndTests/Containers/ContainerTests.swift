import Foundation
import FunctionKit
import TestSupport
import Testing

/// Every export, built and run in containers as its page says.
@Suite(
  .heavy, .qualifiesReleases,
  .enabled(if: ContainerEngine.isThere, "Not run: only root on Debian 12 with podman and runc, as Tests/run says."))
struct ContainerTests {
  /// Made once, for all that run it.
  static let dockerImage = Task {
    let site = try await Site("dockerfile", 0)
    let folder = try await site.export("docker")
    let image = "localhost/push-functions:docker"
    try await site.engine.build("\(folder)/Dockerfile", image)
    return image
  }

  /// The size that `Runner/DEPLOYING.md` promises.
  private func expectSmall(_ image: String, _ site: Site) async throws {
    let size = try await site.engine.podman("image", "inspect", "--format", "{{.Size}}", image)
    #expect(try #require(Int(size)) <= 80_000_000)
  }

  /// The image of `make image`.
  private static func madeImage(_ engine: ContainerEngine) async throws -> String {
    let folder = try engine.makeFolder("dist")
    let words = ["--skip-build", "--level", "1", "--out", folder]
    _ = try ContainerEngine.text(
      try await BuiltExecutables.run(
        "\(House.root.path)/Runner/image", words,
        environment: [
          "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": folder,
          "PUSH_FUNCTIONS_PRODUCTS": BuiltExecutables.directory,
        ], timeout: .seconds(900)), words)
    let image = "localhost/push-functions:made"
    let copy = ["skopeo", "copy", "oci:\(folder)/image:latest", "containers-storage:\(image)"]
    _ = try ContainerEngine.text(try await engine.run(copy), copy)
    return image
  }

  @Test func theImageOfItsDockerfileRuns() async throws {
    let (site, image) = (try await Site("docker", 1), try await Self.dockerImage.value)
    try await expectSmall(image, site)
    try await play("`export docker`", ImagePlace(site: site, image: image, port: 54_401))
  }

  @Test func theImageThatWasMadeWithoutADaemonRuns() async throws {
    let site = try await Site("image", 2)
    let image = try await Self.madeImage(site.engine)
    try await expectSmall(image, site)
    try await play("`make image`", ImagePlace(site: site, image: image, port: 54_402))
  }

  @Test func composeRuns() async throws {
    let site = try await Site("compose", 3)
    try await play("`export compose`", ComposePlace(site, image: try await Self.dockerImage.value))
  }

  @Test func thePodsOfKubernetesRun() async throws {
    let site = try await Site("kubernetes", 4)
    let place = try await PodPlace(site, image: try await Self.dockerImage.value)
    try await play("`export kubernetes`, its pods", place)

    for name in ["push-functions", "push-functions.default", "push-functions.default.svc", "push.example.com"] {
      #expect(try await place.call("/functions/v1/echo", as: name) == "200", "\(name)")
    }
    for name in ["push-functions.other", "push-functions.other.svc.cluster.local", "www.example.com"] {
      #expect(try await place.call("/functions/v1/echo", as: name) == "403", "\(name)")
    }
  }

  @Test func aServiceOfKnativeRuns() async throws {
    let (site, image) = (try await Site("knative", 5), try await Self.dockerImage.value)
    try await play(
      "`export knative`, a runner beside it", HostPlace(.knative, site, image: image, runner: image, port: 54_405))
  }

  /// Its image has our host, and no watchdog.
  @Test func aFunctionOfOpenFaaSRuns() async throws {
    let site = try await Site("openfaas", 6)
    // It shares layers with the other image.
    let runner = try await Self.dockerImage.value
    let sources = try await copySources("sources", site.engine)
    let folder = try await site.export("openfaas", into: "\(sources)/deploy/openfaas")
    try await site.engine.build(
      "\(folder)/Dockerfile", "localhost/push-functions:openfaas", ["--build-arg", "FUNCTION=vote-cast"], of: sources)
    try await play(
      "`export openfaas`, a runner beside it",
      HostPlace(.openfaas, site, image: "localhost/push-functions:openfaas", runner: runner, port: 54_406))
  }

  @Test func theContainersForDevelopersRun() async throws {
    let site = try await Site("development", 10)
    let sources = try await copySources("workspace", site.engine)
    try await play("`export compose --dev`", DevelopmentPlace(site, sources: sources))
  }

  private func copySources(_ name: String, _ engine: ContainerEngine) async throws -> String {
    let sources = try engine.makeFolder(name)
    let copy = "tar -C '\(House.root.path)' --exclude ./.build --exclude ./.git -cf - . | tar -C '\(sources)' -xf -"
    _ = try ContainerEngine.text(try await BuiltExecutables.run("/bin/bash", ["-euo", "pipefail", "-c", copy]), [copy])
    return sources
  }

  /// Lambda's part is played by a script of the tests.
  @Test func aFunctionOfLambdaRuns() async throws {
    let (site, image) = (try await Site("lambda", 8), try await Self.dockerImage.value)
    try await play(
      "`export lambda`, a runner beside it", HostPlace(.lambda, site, image: image, runner: image, port: 54_408))
  }

  @Test func thePackageRunsUnderSystemd() async throws {
    try await play("`make dist`, under systemd", UnitPlace(try await Site("systemd", 7)))
  }

  /// Does everything that its row of the table says, and writes there how far it came.
  private func play(_ name: String, _ place: any Place) async throws {
    try await note(name, of: [place], place.steps) { isDone in
      isDone(.built)
      try await play(place, isDone)
    }
  }

  /// Runs what makes a row of the table, and writes there how far it came.
  ///
  /// - Parameters:
  ///   - places: what runs; a failure has their logs.
  ///   - steps: those that it has; the others do not apply to it.
  func note(
    _ name: String, of places: [any Place], _ steps: [DeploymentTable.Step],
    _ body: ((DeploymentTable.Step) -> Void) async throws -> Void
  ) async throws {
    var done: [DeploymentTable.Step] = []
    do {
      try await body { done.append($0) }
    } catch {
      var logs = ""
      for place in places { logs += await place.log() }
      // Before the row, which would be named as the reason.
      Issue.record(error, "\(logs)")
    }
    try DeploymentTable.note(name, done, of: steps, with: try await Surroundings.shared.versions())
  }

  private func play(_ place: any Place, _ isDone: (DeploymentTable.Step) -> Void) async throws {
    let site = place.site
    try await place.migrate()
    try await place.loadPeople()
    try await place.start()
    try await awaitReady(place)
    try #require(try await place.call("/functions/v1/echo") == "200")
    let version = try await place.version()
    try #require(version.contains(/^runner [0-9.]+ \([0-9a-f]{12}\+?\)$/), "It tells no commit: \(version)")
    isDone(.served)

    try await site.database.vote(2)
    try await site.expectToldOnce()
    try await place.expectShown()
    isDone(.pushed)
    if place.steps.contains(.contained) { try await expectNoRoot(place) }

    try await site.database.vote(10)
    try await drain(place)
    try await site.database.vote(5)
    try await place.start()
    try await awaitReady(place)
    isDone(.drained)

    try await site.database.vote(10)
    _ = try await place.end(by: "KILL")
    try await site.database.vote(5)
    try await place.start()
    try await awaitReady(place)
    try await site.expectToldOnce()
    try await place.expectShown()
    isDone(.killed)
    guard place.steps.contains(.contained) else { return }

    try await expectNothingElsewhere(place)
    isDone(.contained)
    try await expectOneSentenceWithoutSecret(place)
    isDone(.secret)
  }

  func expectNoRoot(_ place: any Place) async throws {
    let users = try await place.users()
    try #require(!users.isEmpty && !users.contains("root"), "\(users)")
  }

  func expectNothingElsewhere(_ place: any Place) async throws {
    let written = try await place.writtenElsewhere()
    try #require(written.isEmpty, "\(written)")
  }

  /// One sentence names what it cannot read, and nothing crashes.
  func expectOneSentenceWithoutSecret(_ place: any Place) async throws {
    let refused = try await place.startWithoutSecret()
    let sentences = Set(refused.said.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("runner: ") })
    let names = sentences.allSatisfy { $0.contains("DATABASE_URL") && $0.hasSuffix(".") }
    try #require(refused.exit == 78 && sentences.count == 1 && names, "\(refused)")
    try #require(!refused.said.contains("Fatal error"), "\(refused)")
  }

  /// It ends well, and what balancers send meanwhile is answered.
  private func drain(_ place: any Place) async throws {
    async let status = place.end(by: "TERM")
    if place.drains {
      try await eventually("it is not ready") { try await place.call("/_/ready") == "503" }
      try #require(try await place.call("/functions/v1/echo") == "200")
    }
    let ended = try await status
    try #require(ended == "0")
  }

  func awaitReady(_ place: any Place) async throws {
    try await eventually("\(place.site.name) is ready") { try await place.call("/_/ready") == "200" }
  }
}
