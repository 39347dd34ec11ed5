import Foundation
import TestSupport
import Testing

extension ContainerTests {
  /// As somebody does who has found the page of a release: downloads it, without root and without a compiler, beside a
  /// PostgreSQL.
  ///
  /// How long it takes is printed, and is no verdict: the machine may be busy.
  @Test(
    .enabled(
      if: ["umoci", "skopeo", "tini", "ssh-keygen"].allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 },
      "Not run: a release is made with umoci, skopeo and tini; Tests/run has them."))
  func aDownloadPushesInAFreshSystem() async throws {
    let engine = try await ContainerEngine.shared
    let folder = try engine.makeFolder("release")
    let release = #"""
      ssh-keygen -q -t ed25519 -N '' -C '' -f "$2/key"
      "$1/Runner/release" --trial --skip-build --level 1 --since HEAD --key "$2/key" --out "$2/page" >&2
      chmod -R a+rX "$2/page"
      """#
    let words = ["-euo", "pipefail", "-c", release, "bash", House.root.path, folder]
    _ = try ContainerEngine.text(
      try await BuiltExecutables.run(
        "/bin/bash", words,
        environment: [
          "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin",
          // Git's settings may be there.
          "HOME": ProcessInfo.processInfo.environment["HOME"] ?? folder,
          "PUSH_FUNCTIONS_PRODUCTS": BuiltExecutables.directory,
        ], timeout: .seconds(900)), words)
    let image = try engine.makeFolder("fresh")
    try """
    FROM localhost/system
    RUN apt-get update && apt-get install -y --no-install-recommends openssh-client wget zstd

    """.write(toFile: "\(image)/Dockerfile", atomically: true, encoding: .utf8)
    try await engine.build("\(image)/Dockerfile", "localhost/fresh", of: image)
    let site = try await publish("\(folder)/page", engine)

    let person = try engine.start([
      "podman", "run", "--rm", "--name", "download", "--network", "inside", "localhost/fresh", "bash", "-euc",
      """
      useradd --create-home person
      cd /home/person
      echo begins
      exec setpriv --reuid person --regid person --clear-groups --no-new-privs \
        env -i HOME=/home/person PATH=/usr/bin:/bin sh -euc 'wget -q "$0/install.sh"; exec sh install.sh "$0"' \(site.address)
      """,
    ])
    try await person.line { $0 == "begins" }
    let start = ContinuousClock.now
    try await person.line { $0.contains("Installed in /home/person/push-functions.") }
    let installed = ContinuousClock.now - start
    try await person.line { $0.hasPrefix("   push ") }
    let pushed = ContinuousClock.now - start
    try await person.line { $0.hasPrefix("Serving at ") }
    let told = ContinuousClock.now - start
    #expect(site.server.ended == nil)
    try await engine.podman("rm", "--force", "--time", "0", "download")

    let seconds = [installed, pushed, told].map { ($0 / .seconds(1)).formatted(.number.precision(.fractionLength(1))) }
    print(
      "A download: installed after \(seconds[0]) s, the first push after \(seconds[1]) s, the story after \(seconds[2]) s."
    )
  }

  /// Serves the page of a release over HTTP, to containers.
  ///
  /// - Parameter place: the folder that the release's own folder lies in.
  /// - Returns: the server, and the address of the release.
  private func publish(
    _ place: String, _ engine: ContainerEngine
  ) async throws -> (server: RunningProgram, address: String) {
    let release = try #require(try FileManager.default.contentsOfDirectory(atPath: place).first)
    let server = try engine.start([
      "python3", "-u", "-m", "http.server", "0", "--directory", "\(place)/\(release)",
    ])
    let line = try await server.line { $0.hasPrefix("Serving HTTP on ") }
    let port = try #require(line.firstMatch(of: /port ([0-9]+) \(/)).output.1
    return (server, "http://\(try await engine.gateway()):\(port)")
  }
}
