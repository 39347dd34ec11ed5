import Postgres
import Synchronization

/// A private, durable PostgreSQL server with the settings that the runner gives to a project's own.
///
/// A runner without functions keeps it, so that other runners can be started and stopped on databases in it. That one
/// looks into its own, empty database once a second and disturbs nothing.
final class LocalCluster: Sendable {
  private let keeper: ServedProject
  private let count = Atomic(0)

  private init(keeper: ServedProject) {
    self.keeper = keeper
  }

  /// Keeps a server while the body runs.
  static func with<Answer>(_ body: (LocalCluster) async throws -> Answer) async throws -> Answer {
    try await withServedProject(manifest: #"{"functions": {}}"#) { try await body(LocalCluster(keeper: $0)) }
  }

  /// Makes an empty database and returns its URL.
  func makeDatabase() async throws -> String {
    let name = "benchmark_\(count.add(1, ordering: .relaxed).newValue)"
    let url = try keeper.databaseURL
    try await connected(to: url) { try await $0.script("CREATE DATABASE \(name)") }
    guard let end = url.firstIndex(of: "?"), let slash = url[..<end].lastIndex(of: "/") else {
      throw BenchmarkError("The database's URL is not understood: \(url)")
    }
    return url[...slash] + name + url[end...]
  }

  /// The time that the server has computed, in all its sessions.
  func serverTime() async throws -> Duration { try await keeper.serverTime() }
}

/// Opens a connection for the time of the body.
func connected<Answer>(to url: String, _ body: (Connection) async throws -> Answer) async throws -> Answer {
  let connection = Connection(url: url, applicationName: "benchmark", statementTimeout: .seconds(600))
  do {
    let answer = try await body(connection)
    await connection.close()
    return answer
  } catch {
    await connection.close()
    throw error
  }
}
