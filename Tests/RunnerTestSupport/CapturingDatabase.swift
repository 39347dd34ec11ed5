package import Capture
import FunctionKit
package import Manifest
package import Postgres
import Queue
package import TestSupport

/// A database of its own whose tables' changes are captured.
package struct CapturingDatabase {
  package let url: String
  package let connection: Connection

  /// Makes the tables, then the triggers that `functions.json` asks for.
  ///
  /// - Parameters:
  ///   - place: a server that ``cluster(settings:)`` has made and the new database's name, else it is made on the one
  ///     that tests share.
  ///   - functions: the members of `"functions"`.
  package init(
    on place: (cluster: PrivateCluster, name: String)? = nil, tables: String,
    functions: String = CapturingDatabase.everything
  ) async throws {
    if let place {
      let administrator = Connection(url: place.cluster.url(), applicationName: "test")
      try await administrator.script("CREATE DATABASE \(place.name) TEMPLATE \(Self.template)")
      await administrator.close()
      url = place.cluster.url(database: place.name)
    } else {
      url = try await TemporaryPostgres.database(migrated: Self.migrate, named: Self.template)
    }
    connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(120))
    try await connection.script(tables)
    try await migrate(functions)
  }

  /// One function that hears of every change of `t` and orders by `id`.
  package static let everything =
    #""f": {"key": "id", "triggers": [{"table": "t", "events": ["INSERT", "UPDATE", "DELETE"]}]}"#

  /// Starts a server of a test's own for databases such as this.
  package static func cluster(settings: String = "") async throws -> PrivateCluster {
    try await PrivateCluster(settings: settings, like: migrated.value)
  }

  /// A stopped server with a database that the others are copies of: it is migrated once.
  private static let migrated = Task {
    let cluster = try await PrivateCluster()
    let administrator = Connection(url: cluster.url(), applicationName: "test")
    try await administrator.script("CREATE DATABASE \(Self.template)")
    await administrator.close()
    try await Self.migrate(cluster.url(database: Self.template))
    try await cluster.stop()
    return cluster
  }

  private static let template = "capture"

  private static let migrate: @Sendable (String) async throws -> Void = { url in
    let connection = Connection(url: url, applicationName: "migrate")
    _ = try await Migrator(database: connection).migrate(manifest(""))
    await connection.close()
  }

  /// A `functions.json`.
  ///
  /// - Parameters:
  ///   - functions: the members of `"functions"`.
  ///   - settings: further members, each with a comma behind it.
  package static func manifest(_ functions: String, _ settings: String = "") throws -> Manifest {
    let text =
      #"{\#(settings)"apps": {"feedbackkit": {}, "lockitin": {}, "mugshot": {}}, "functions": {\#(functions)}}"#
    return try Manifest(text: Array(Schema.manifest(text).utf8), file: "functions.json", directory: "/")
  }

  /// Returns what was changed.
  @discardableResult
  package func migrate(
    _ functions: String = CapturingDatabase.everything, _ settings: String = "", prunes: Bool = false
  ) async throws -> [String] {
    try await report(functions, settings, prunes: prunes).triggers
  }

  /// Returns what was changed and what was left.
  package func report(
    _ functions: String = CapturingDatabase.everything, _ settings: String = "", prunes: Bool = false
  ) async throws -> Migrator.Report {
    try await Migrator(database: connection).migrate(Self.manifest(functions, settings), prunes: prunes)
  }

  /// Takes the events that are waiting, as the bodies that functions get, in the order of text.
  package func bodies() async throws -> [String] {
    let rows = try await connection.query(
      """
      WITH e AS (DELETE FROM runner.events RETURNING *)
      SELECT \(QueuedEvent.columns(isLoaded: "true")) FROM e CROSS JOIN \(QueuedEvent.clock)
      """)
    return try rows.map { row in
      guard let line = try QueuedEvent.line(of: row), let data = try RawJSON(validating: line.dropLast())["data"]
      else { throw ProgramFailure(description: "a row of runner.events holds no event with data") }
      return String(decoding: data.bytes, as: UTF8.self)
    }.sorted()
  }

  /// Takes the events that are waiting, in the order of text: the operation and what `expression` says of each.
  package func events(_ expression: SQL = "coalesce(old_record ->> 'v', '-') || '>' || coalesce(record ->> 'v', '-')")
    async throws -> [String]
  {
    try await connection.query(
      "WITH e AS (DELETE FROM runner.events RETURNING *) SELECT op || ' ' || (\(expression)) AS said FROM e ORDER BY 1"
    ).decode("said")
  }

  /// Adds a trigger beside ours that writes down what a Supabase Database Webhook would post for a table.
  ///
  /// Supabase's databases run in UTC, and so has the trigger to.
  package func addReference(to table: String = "t") async throws {
    try await connection.script(
      """
      CREATE TABLE IF NOT EXISTS reference (body text);
      CREATE OR REPLACE FUNCTION reference() RETURNS trigger LANGUAGE plpgsql SET "TimeZone" = 'UTC' AS $$
      BEGIN
        INSERT INTO reference VALUES (jsonb_build_object(
          'old_record', OLD, 'record', NEW, 'type', TG_OP, 'table', TG_TABLE_NAME, 'schema', TG_TABLE_SCHEMA)::text);
        RETURN NULL;
      END $$;
      CREATE TRIGGER reference AFTER INSERT OR UPDATE OR DELETE ON \(table) FOR EACH ROW EXECUTE FUNCTION reference();
      """)
  }

  /// Takes the written documents, in the order of text.
  package func references() async throws -> [String] {
    try await connection.query("WITH r AS (DELETE FROM reference RETURNING *) SELECT body FROM r")
      .decode("body", as: String.self).sorted()
  }
}
