import Foundation
import TestSupport

/// The export of compose, by podman-compose.
struct ComposePlace: Place {
  let site: Site
  let drains = true
  private let file: String
  /// Where Docker calls it by the project's and the service's name.
  private let container = "push-functions_runner_1"

  /// - Parameter image: of its Dockerfile, which is that of `export docker`.
  init(_ site: Site, image: String) async throws {
    self.site = site
    let folder = try await site.export("compose", "--image", image)
    let secrets = try site.secrets(at: "/run/secrets")
    let names = try FileManager.default.contentsOfDirectory(atPath: secrets).sorted()
    let text = try site.changed(
      "\(folder)/compose.yaml",
      [
        (#""serve", "#, #""serve", "--emulator", "#),
        // Pods publish the usual port beside it.
        ("127.0.0.1:54321:", "127.0.0.1:54403:"),
        // Further secrets, as its comment says.
        ("secrets: [DATABASE_URL, RUNNER_KEY]", "secrets: [\(names.joined(separator: ", "))]"),
        ("./secrets/", "\(secrets)/"),
      ])
    let added = names.filter { !["DATABASE_URL", "RUNNER_KEY"].contains($0) }
    let entries = added.map { "  \($0):\n    file: \(secrets)/\($0)\n" }.joined()
    file = "\(folder)/compose.yaml"
    try "\(text)\n\(entries)networks:\n  default:\n    name: inside\n    external: true\n"
      .write(toFile: file, atomically: true, encoding: .utf8)
  }

  /// `up` runs the migration first.
  func migrate() async throws {
    let words = ["--file", file, "up", "--detach"]
    _ = try ContainerEngine.text(try await site.engine.compose(words), words)
  }

  /// Its policy starts what was killed.
  func start() async throws { _ = try await site.engine.run(["podman", "start", container]) }

  func call(_ path: String) async throws -> String { try await site.call(path, port: 54_403) }
  func end(by signal: String) async throws -> String { try await site.end(container, by: signal) }
  func users() async throws -> [String] { try await site.users(of: container) }

  func startWithoutSecret() async throws -> (exit: Int32, said: String) {
    guard chown("\(site.engine.folder.path)/secrets-\(site.name)/DATABASE_URL", 0, 0) == 0 else {
      throw SystemError("chown")
    }
    let outcome = try await site.engine.compose(["--file", file, "run", "--rm", "migrate"])
    return (outcome.exit, outcome.stdout + outcome.stderr)
  }
}
