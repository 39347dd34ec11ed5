package import Postgres
import Synchronization

/// Fresh databases of a private PostgreSQL server that lives as long as this process.
package actor TemporaryPostgres {
  private static let shared = TemporaryPostgres()

  private var templates: [String: Task<String, any Error>] = [:]
  private var count = 0
  private var administrator: Connection?
  private var remover: Connection?

  /// Makes an empty database and returns its URL.
  package static func database() async throws -> String {
    try await shared.makeDatabase(template: "template0").forThisTest
  }

  /// Makes a database as the migrations leave it, which run once for each name and process, and returns its URL.
  package static func database(
    migrated migrate: @escaping @Sendable (_ url: String) async throws -> Void, named name: String
  ) async throws -> String {
    try await shared.makeDatabase(template: shared.template(name, migrate)).forThisTest
  }

  /// Makes a database that is equal to another one, to which nobody is connected, and returns its URL.
  package static func database(like url: String) async throws -> String {
    let name = String(url.dropFirst("postgresql:///".count).prefix { $0 != "?" })
    return try await shared.makeDatabase(template: name).forThisTest
  }

  /// A connection to a database that tests share, for statements that leave nothing behind.
  package static func statelessConnection() throws -> Connection {
    Connection(url: try TemporaryCluster.shared.get().url(database: "postgres"), applicationName: "test")
  }

  /// The path of one of the server's programs.
  package static func program(_ name: String) throws -> String { "\(try TemporaryCluster.binaries())/\(name)" }

  /// A connection to a fresh, empty database.
  package static func connection() async throws -> Connection {
    Connection(url: try await database(), applicationName: "test", statementTimeout: .seconds(300))
  }

  @TaskLocal fileprivate static var made: MadeDatabases?

  /// Runs a test, and drops the databases that it has made: all of them together would take 20 GB.
  static func dropping(_ body: () async throws -> Void) async throws {
    let made = MadeDatabases()
    defer { Task.detached { await shared.drop(made) } }
    try await $made.withValue(made) { try await body() }
  }

  private func drop(_ made: MadeDatabases) async {
    guard !made.names.isEmpty, let cluster = try? TemporaryCluster.shared.get() else { return }
    // Not the administrator's: who needs a database would wait until others are dropped.
    let connection = remover ?? Self.administrator(of: cluster)
    remover = connection
    for name in made.names { try? await connection.script("drop database if exists \(name) with (force)") }
  }

  private static func administrator(of cluster: TemporaryCluster) -> Connection {
    Connection(
      url: cluster.url(database: "postgres"), applicationName: "test-support", connectTimeout: .seconds(60),
      statementTimeout: .seconds(60))
  }

  private func template(_ name: String, _ migrate: @escaping @Sendable (String) async throws -> Void) async throws
    -> String
  {
    if let template = templates[name] { return try await template.value }
    let building = Task {
      let database = try await makeDatabase(template: "template0")
      try await migrate(database.url)
      return database.name
    }
    templates[name] = building
    return try await building.value
  }

  private struct Made {
    let name: String
    let url: String

    /// The URL of a database that goes with the test.
    var forThisTest: String {
      made?.add(name)
      return url
    }
  }

  private func makeDatabase(template: String) async throws -> Made {
    let cluster = try TemporaryCluster.shared.get()
    count += 1
    let name = "d\(count)"
    let connection = administrator ?? Self.administrator(of: cluster)
    administrator = connection
    let version: Int = try await connection.query("SELECT current_setting('server_version_num')::int AS number").only()
      .decode("number")
    // The other strategy writes each page to the log, too.
    let strategy = version >= 150_000 ? "strategy file_copy" : ""
    try await connection.script("create database \(name) template \(template) \(strategy)")
    return Made(name: name, url: cluster.url(database: name))
  }
}

/// The databases that one test has made.
private final class MadeDatabases: Sendable {
  private let list = Mutex<[String]>([])

  var names: [String] { list.withLock { $0 } }

  func add(_ name: String) { list.withLock { $0.append(name) } }
}
