import Foundation
import TestSupport

/// The export of compose, by podman-compose.
struct ComposePlace: Place {
  let site: Site
  let drains = true
  /// Where the machine reaches it.
  let port: Int
  private let project: String
  private var folder: String { "\(site.engine.folder.path)/deploy-\(project)" }
  /// Where Docker calls it by the project's and the service's name.
  private var container: String { "\(project)_runner_1" }

  /// - Parameters:
  ///   - image: of its Dockerfile, which is that of `export docker`.
  ///   - project: another one for each runner.
  init(_ site: Site, image: String, project: String = "push-functions", port: Int = 54_403) async throws {
    (self.site, self.project, self.port) = (site, project, port)
    try await write(image)
  }

  /// Writes the export, with further secrets, as its comment says.
  private func write(_ image: String) async throws {
    _ = try await site.export("compose", "--image", image, "--force", into: folder)
    let secrets = try site.secrets(at: "/run/secrets")
    let names = try FileManager.default.contentsOfDirectory(atPath: secrets).sorted()
    let text = try site.changed(
      "\(folder)/compose.yaml",
      [
        (#""serve", "#, #""serve", "--emulator", "#),
        ("secrets: [DATABASE_URL, RUNNER_KEY]", "secrets: [\(names.joined(separator: ", "))]"),
        ("./secrets/", "\(secrets)/"),
      ])
    let added = names.filter { !["DATABASE_URL", "RUNNER_KEY"].contains($0) }
    let entries = added.map { "  \($0):\n    file: \(secrets)/\($0)\n" }.joined()
    try "\(text)\n\(entries)networks:\n  default:\n    name: inside\n    external: true\n"
      .write(toFile: "\(folder)/compose.yaml", atomically: true, encoding: .utf8)
  }

  private func compose(_ words: String...) async throws -> BuiltExecutables.Outcome {
    try await site.engine.compose(
      ["--project-name", project, "--file", "\(folder)/compose.yaml"] + words,
      environment: ["PUBLISHED_PORT": "\(port)"])
  }

  /// `up` runs the migration first.
  func migrate() async throws { _ = try ContainerEngine.text(try await compose("up", "--detach"), [project, "up"]) }

  /// Does what its comment says of an upgrade.
  func upgrade(to image: String) async throws {
    try await write(image)
    try await migrate()
    let present = try await site.engine.podman("inspect", "--format", "{{.ImageName}}", container)
    guard present == image else { throw ProgramFailure(description: "\(container) is of \(present)") }
  }

  /// Its policy starts what was killed.
  func start() async throws { _ = try await site.engine.run(["podman", "start", container]) }

  func call(_ path: String) async throws -> String { try await site.call(path, port: port) }
  func end(by signal: String) async throws -> String { try await site.end(container, by: signal) }
  func users() async throws -> [String] { try await site.users(of: container) }
  func version() async throws -> String { try await site.version(in: container) }
  func writtenElsewhere() async throws -> [String] { try await site.writtenElsewhere(by: container) }
  func log() async -> String { await site.log(of: container) }

  func startWithoutSecret() async throws -> (exit: Int32, said: String) {
    guard chown("\(site.engine.folder.path)/secrets-\(site.name)/DATABASE_URL", 0, 0) == 0 else {
      throw SystemError("chown")
    }
    let outcome = try await compose("run", "--rm", "migrate")
    return (outcome.exit, outcome.stdout + outcome.stderr)
  }
}
