public import Postgres

/// Fresh databases of a private PostgreSQL server that lives as long as this process.
public actor TemporaryPostgres {
  private static let shared = TemporaryPostgres()

  private var templates: [String: Task<String, any Error>] = [:]
  private var count = 0
  private var administrator: Connection?

  /// Makes an empty database and returns its URL.
  public static func database() async throws -> String {
    try await shared.makeDatabase(template: "template0").url
  }

  /// Makes a database as the migrations leave it, which run once for each name and process, and returns its URL.
  public static func database(
    migrated migrate: @escaping @Sendable (_ url: String) async throws -> Void, named name: String
  ) async throws -> String {
    try await shared.makeDatabase(template: shared.template(name, migrate)).url
  }

  /// A connection to a database that tests share, for statements that leave nothing behind.
  public static func statelessConnection() throws -> Connection {
    Connection(url: try TemporaryCluster.shared.get().url(database: "postgres"), applicationName: "test")
  }

  /// A connection to a fresh, empty database.
  public static func connection() async throws -> Connection {
    Connection(url: try await database(), applicationName: "test", statementTimeout: .seconds(300))
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

  private func makeDatabase(template: String) async throws -> (name: String, url: String) {
    let cluster = try TemporaryCluster.shared.get()
    count += 1
    let name = "d\(count)"
    let connection =
      administrator
      ?? Connection(
        url: cluster.url(database: "postgres"), applicationName: "test-support", connectTimeout: .seconds(60),
        statementTimeout: .seconds(60))
    administrator = connection
    try await connection.script("create database \(name) template \(template)")
    return (name, cluster.url(database: name))
  }
}
