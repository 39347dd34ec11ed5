import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The containers for developers, of `export compose --dev`: sources from outside, which are built where they serve.
///
/// Its PostgreSQL is that of the surroundings, because no image of another one can be had; its push emulator is its own.
struct DevelopmentPlace: Place {
  let site: Site
  let drains = false
  /// It runs as root, on a developer's machine, and needs no secret.
  let steps: [DeploymentTable.Step] = [.built, .served, .pushed, .drained, .killed]
  private let file: String
  private let container = "push-functions-dev_runner_1"
  private static let port = 54_411

  /// - Parameter sources: a copy of the repository.
  init(_ site: Site, sources: String) async throws {
    self.site = site
    let folder = try await site.export("compose", "--dev", "--force", into: "\(sources)/.devcontainer")
    try await site.engine.build("\(folder)/Dockerfile", "localhost/push-functions:dev", of: folder)
    file = "\(folder)/compose.yaml"
    let text = try site.changed(
      file,
      [
        ("postgres://app@postgres/app", site.variables["DATABASE_URL"] ?? ""),
        ("127.0.0.1:54321:", "127.0.0.1:\(Self.port):"),
        ("    build: .\n", "    image: localhost/push-functions:dev\n"),
        (
          "      - ..:/workspace\n",
          """
                - ..:/workspace
                - \(House.root.path)/Tests/containers/swift:/usr/local/bin/swift:ro
                - \(BuiltExecutables.directory):/products:ro

          """
        ),
      ])
    let postgres = /\n  postgres:\n(?s:.*?)(?=\n  runner:\n)|\n    depends_on:\n      postgres:\n[^\n]*/
    try "\(text.replacing(postgres, with: ""))\nnetworks:\n  default:\n    name: inside\n    external: true\n"
      .write(toFile: file, atomically: true, encoding: .utf8)
  }

  /// It migrates by itself.
  func migrate() async throws {
    let words = ["--file", file, "up", "--detach"]
    _ = try ContainerEngine.text(
      try await site.engine.compose(words, environment: ["RUNNER_KEY": Site.key]), words)
  }

  /// The story brings them.
  func loadPeople() async throws {
    try await eventually("the story has been played") {
      try await site.engine.run(["podman", "logs", container]).stdout.contains("Serving at")
    }
  }

  func start() async throws { _ = try await site.engine.podman("start", container) }
  func call(_ path: String) async throws -> String { try await site.call(path, port: Self.port) }
  func end(by signal: String) async throws -> String { try await site.end(container, by: signal) }
  func users() async throws -> [String] { try await site.users(of: container) }
  func log() async -> String { await site.log(of: container) }

  func version() async throws -> String { try await site.engine.podman("exec", container, "runner", "--version") }

  /// They also show what the story tells.
  func expectShown() async throws {
    let text = try await site.engine.podman("exec", container, "runner", "pushes", "--json", "--last", "50000")
    let pushes = try text.split(separator: "\n").map { try RawJSON(validating: Array($0.utf8)[...]) }
    let shown = Set(pushes.map { "\($0["token"]?.stringValue ?? "")/\($0["collapseID"]?.stringValue ?? "")" })
    let votes = try await site.database.query(
      """
      SELECT t.token || '/' || coalesce(n.collapse_id, '') AS push FROM deliveries d
      JOIN notifications n ON n.id = d.notification_id JOIN device_tokens t ON t.id = d.device_token_id
      WHERE d.state = 'accepted' AND n.type = 'new_vote'
      """
    ).decode("push", as: String.self)
    let missing = Set(votes).subtracting(shown)
    try #require(!votes.isEmpty && missing.isEmpty, "\(missing) of \(votes.count)")
  }

  func writtenElsewhere() async throws -> [String] { throw Self.isNotAsked }
  func startWithoutSecret() async throws -> (exit: Int32, said: String) { throw Self.isNotAsked }

  private static let isNotAsked = ProgramFailure(description: "This is no step of a place for developers.")
}
