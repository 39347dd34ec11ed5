import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct CancellationTests {
  @Test func cancellingTheTaskStopsItsStatement() async throws {
    let (connection, observer, _) = try await connections()
    let pid = try await processID(of: connection)
    let task = Task { try await connection.query("select pg_sleep(\(60.0))") }
    try await observer.waits(until: "exists (select from pg_stat_activity where pid = \(pid) and state = 'active')")

    task.cancel()

    let error = await #expect(throws: PostgresError.self) { _ = try await task.value }
    #expect(error?.code == .cancelled)
    #expect(error?.outcomeIsUnknown == false)
    try await observer.waits(until: "not exists (select from pg_stat_activity where pid = \(pid))")
    #expect(try await connection.query("select 1").count == 1)
  }

  @Test func aCancelledTaskSendsNothing() async throws {
    let (connection, _, _) = try await connections()
    try await connection.script("create table t (id bigint)")
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await connection.query("insert into t values (\(1))")
    }

    task.cancel()

    let error = await #expect(throws: PostgresError.self) { _ = try await task.value }
    #expect(error?.code == .cancelled)
    #expect(try await connection.query("select * from t").isEmpty)
  }

  @Test func cancellingInATransactionRollsBack() async throws {
    let (connection, observer, _) = try await connections()
    try await connection.script("create table t (id bigint)")
    let pid = try await processID(of: connection)
    let task = Task {
      try await connection.transaction { transaction in
        _ = try await transaction.query("insert into t values (\(1))")
        _ = try await transaction.query("select pg_sleep(\(60.0))")
      }
    }
    try await observer.waits(
      until: "exists (select from pg_stat_activity where pid = \(pid) and wait_event = 'PgSleep')")

    task.cancel()

    await #expect(throws: PostgresError.self) { try await task.value }
    #expect(try await connection.query("select * from t").isEmpty)
  }

  @Test func cancellingEndsTheWaitForATurn() async throws {
    let (connection, _, _) = try await connections()

    try await connection.transaction { _ in
      let waiting = Task.detached { try await connection.query("select 1") }
      waiting.cancel()

      let error = await #expect(throws: PostgresError.self) { _ = try await waiting.value }
      #expect(error?.code == .cancelled)
    }
  }

  @Test func aStatementHasALimit() async throws {
    let (_, _, url) = try await connections()
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .milliseconds(20))

    let error = await #expect(throws: PostgresError.self) { _ = try await connection.query("select pg_sleep(\(60.0))") }

    #expect(error?.code == .timedOut)
    #expect(error?.sqlState == "57014")
    #expect(error?.outcomeIsUnknown == false)
    try await connection.answersAgain()
  }

  @Test func anIdleTransactionHasALimit() async throws {
    let (_, observer, url) = try await connections()
    let connection = Connection(url: url, applicationName: "idler", idleInTransactionTimeout: .milliseconds(20))

    let error = await #expect(throws: PostgresError.self) {
      try await connection.transaction { transaction in
        _ = try await transaction.query("select 1")
        try await observer.waits(
          until: """
            not exists (select from pg_stat_activity
              where application_name = 'idler' and datname = current_database())
            """)
        _ = try await transaction.query("select 1")
      }
    }

    #expect(error?.code == .connection)
    // libpq takes what a server says to a connection between two statements for a notice: then there is no state.
    #expect([nil, "25P03"].contains(error?.sqlState))
  }

  private func connections() async throws -> (Connection, observer: Connection, url: String) {
    let url = try await TemporaryPostgres.database()
    return (Connection(url: url, applicationName: "test"), Connection(url: url, applicationName: "observer"), url)
  }
}
