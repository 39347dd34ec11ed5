import TestSupport
import Testing

@testable import Postgres

/// Connections through PgBouncer in transaction mode.
@Suite(.heavy)
struct PoolingTests {
  /// Connections that share one session of the server.
  private func connections(
    _ count: Int, statementTimeout: Duration? = .seconds(60)
  ) async throws -> (pooler: PgBouncer, pooled: [Connection], direct: Connection) {
    let pooler = try await PgBouncer(sessions: 1)
    let database = try await TemporaryPostgres.database()
    let url = pooler.url(of: database)
    return (
      pooler,
      (0..<count).map { _ in Connection(url: url, applicationName: "test", statementTimeout: statementTimeout) },
      Connection(url: database, applicationName: "test")
    )
  }

  @Test(arguments: [
    ("postgresql:///d?pgbouncer=true", "postgresql:///d", true),
    ("postgres://u@h/d?host=/s&pgbouncer=true&sslmode=disable", "postgres://u@h/d?host=/s&sslmode=disable", true),
    ("postgresql:///d?pgbouncer=false&host=/s", "postgresql:///d?host=/s", false),
    ("postgresql:///d?host=/s", "postgresql:///d?host=/s", false),
    ("postgresql:///pgbouncer=true", "postgresql:///pgbouncer=true", false),
    ("host=/s pgbouncer=true dbname=d", "host=/s dbname=d", true),
    ("host=/s dbname='a  b'", "host=/s dbname='a  b'", false),
  ])
  func theURLSaysIt(_ text: String, _ rest: String, _ isPooled: Bool) {
    let taken = ConnectionString.takingPooling(from: text)
    #expect(taken.rest == rest)
    #expect(taken.isPooled == isPooled)
    #expect(Connection.expectsPooler(at: text) == isPooled)
  }

  @Test func everyTransactionHasItsOwnSettingsWhateverOthersLeave() async throws {
    let (pooler, pooled, _) = try await connections(2)
    // What another client of the pooler may do to the session that both share.
    try await pooled[0].script(
      "set timezone = 'Asia/Tokyo'; set datestyle = 'SQL, DMY'; set bytea_output = 'escape'; set statement_timeout = '2s'"
    )

    let now = try await pooled[1].query(
      """
      select current_setting('timezone') as zone, current_setting('bytea_output') as bytes,
        current_setting('statement_timeout') as limit, timestamptz 'epoch' as t
      """)
    #expect(
      now.map { [$0["zone"], $0["bytes"], $0["limit"], $0["t"]] } == [["UTC", "hex", "1min", "1970-01-01 00:00:00+00"]])
    let inside = try await pooled[1].transaction { transaction in
      try await transaction.query("select current_setting('timezone') || current_setting('statement_timeout') as s")
        .only()["s"]
    }
    #expect(inside == "UTC1min")
    withExtendedLifetime(pooler) {}
  }

  @Test func aStatementHasItsLimitAndNamesItsPlace() async throws {
    let (pooler, pooled, _) = try await connections(1, statementTimeout: .milliseconds(50))

    let late = await #expect(throws: PostgresError.self) {
      try await pooled[0].pipeline(["select 1", "select pg_sleep(30)"])
    }
    #expect(late?.code == .timedOut)
    #expect(late?.statementIndex == 1)
    let wrong = await #expect(throws: PostgresError.self) {
      try await pooled[0].script("create table t (id int);\n  insert into t valuez (1)")
    }
    #expect(wrong?.line == 2)
    let twice = await #expect(throws: PostgresError.self) {
      try await pooled[0].script("create table t (id int primary key); insert into t values (1), (1)")
    }
    #expect(twice?.statementIndex == 1)
    withExtendedLifetime(pooler) {}
  }

  @Test func manyClientsShareOneSession() async throws {
    let (pooler, pooled, direct) = try await connections(8)
    try await direct.script("create table t (id int primary key, word text)")

    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, connection) in pooled.enumerated() {
        group.addTask {
          for round in 0..<25 {
            let id = number * 100 + round
            try await connection.transaction { transaction in
              _ = try await transaction.query("insert into t values (\(id), \("w\(id)"))")
              _ = try await transaction.commit(after: ["update t set word = upper(word) where id = \(id)"])
            }
            let word = try await connection.query("select word from t where id = \(id)").only()["word"]
            #expect(word == "W\(id)")
          }
          _ = try await connection.copy(
            into: "t", columns: ["id", "word"], rows: [["\(number * 100 + 99)", "copied"]])
        }
      }
      try await group.waitForAll()
    }

    #expect(try await direct.query("select from t").count == 8 * 26)
    let sessions = try await direct.query(
      """
      select from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      """)
    #expect(sessions.count == 1)
    #expect(try await pooled[0].query("select from pg_prepared_statements").isEmpty)
    withExtendedLifetime(pooler) {}
  }

  @Test func aTransactionThatFailsLeavesNothing() async throws {
    let (pooler, pooled, direct) = try await connections(1)
    try await direct.script("create table t (id int primary key)")

    await #expect(throws: PostgresError.self) {
      try await pooled[0].transaction { transaction in
        _ = try await transaction.query("insert into t values (1)")
        _ = try await transaction.query("insert into t values (1)")
      }
    }

    #expect(try await direct.query("select from t").isEmpty)
    #expect(try await pooled[0].query("select 1 as one").only()["one"] == "1")
    withExtendedLifetime(pooler) {}
  }

  @Test func listeningIsRefused() async throws {
    let (pooler, pooled, _) = try await connections(1)

    let error = await #expect(throws: PostgresError.self) { try await pooled[0].listen("channel") }

    #expect(error?.code == .usage)
    withExtendedLifetime(pooler) {}
  }
}
