import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct ConnectionTests {
  @Test func errorsCarryWhatTheServerSays() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("create table t (id int primary key)")
    _ = try await connection.query("insert into t values (\(1))")

    let error = await #expect(throws: PostgresError.self) {
      _ = try await connection.query("insert into t values (\(1))")
    }

    #expect(error?.code == .sqlState("23505"))
    #expect(error?.constraint == "t_pkey")
    #expect(error?.isRetryable == false)
    #expect(error?.outcomeIsUnknown == false)
  }

  @Test func descriptionsDoNotQuoteValues() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("create table t (id text primary key, n int check (n > 0))")
    _ = try await connection.query("insert into t values (\("secret"))")
    let statements: [SQL] = [
      "insert into t values (\("secret"))", "insert into t values (\("other secret"), \(-1))",
      "select \("secret")::uuid", "select \("secret")::int", "do $$ begin raise exception 'secret'; end $$",
    ]

    for statement in statements {
      let error = await #expect(throws: PostgresError.self) { _ = try await connection.query(statement) }
      #expect(error.map { "\($0)" }?.contains("secret") == false)
    }
  }

  @Test func settingsAreThoseThatDecodingNeeds() async throws {
    let url = try await TemporaryPostgres.database()
    let administrator = Connection(url: url, applicationName: "test")
    try await administrator.script(
      """
      do $$ begin
        execute format('alter database %I set timezone = ''Asia/Kolkata''', current_database());
        execute format('alter database %I set datestyle = ''German''', current_database());
        execute format('alter database %I set bytea_output = ''escape''', current_database());
      end $$
      """)
    let connection = Connection(
      url: url, applicationName: "my name", statementTimeout: .seconds(7), idleInTransactionTimeout: .milliseconds(8))

    let row = try await connection.query(
      """
      select '2026-11-20 12:00:00+00'::timestamptz as time, '\\x00'::bytea as bytes,
        current_setting('application_name') as name, current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle, current_setting('client_encoding') as encoding
      """
    ).only()

    #expect(row["time"] == "2026-11-20 12:00:00+00")
    #expect(row["bytes"] == "\\x00")
    #expect(row["name"] == "my name")
    #expect(row["statement"] == "7s")
    #expect(row["idle"] == "8ms")
    #expect(row["encoding"] == "UTF8")
  }

  @Test func opensAnewAfterTheServerEndedTheSession() async throws {
    let url = try await TemporaryPostgres.database()
    let connection = Connection(url: url, applicationName: "test")
    for _ in 1...2 { _ = try await connection.query("select \(1)") }

    try await terminate(connection, of: url)

    #expect(try await connection.query("select \(1)").count == 1)
  }

  /// The server says that it ends a session before it closes the connection.
  @Test func opensAnewAfterTheServerSaidThatItEndsTheSession() async throws {
    let url = try await TemporaryPostgres.database()
    let link = try DatabaseLink(to: url)
    let connection = Connection(url: link.linkedURL, applicationName: "test")
    _ = try await connection.query("select 1")

    link.holdEnds()
    try await terminate(connection, of: url)
    while link.heldEnds < 1 { await Task.yield() }

    #expect(try await connection.query("select 1").count == 1)
  }

  @Test func aSessionLostInTheMiddleIsAnError() async throws {
    let connection = try TemporaryPostgres.statelessConnection()

    let error = await #expect(throws: PostgresError.self) {
      _ = try await connection.query("select pg_terminate_backend(pg_backend_pid())")
    }

    #expect(error?.code == .connection)
    #expect(error?.sqlState == "57P01")
    #expect(error?.outcomeIsUnknown == true)
    #expect(try await connection.query("select 1").count == 1)
  }

  @Test func aRefusedConnectionNamesTheHostButNoPassword() async throws {
    let directory = try TemporaryDirectory()
    let connection = Connection(
      url: "postgres://someone:hunter2@/x?host=\(directory.path)", applicationName: "test")

    let error = await #expect(throws: PostgresError.self) { _ = try await connection.query("select 1") }

    #expect(error?.code == .connection)
    #expect(error?.isRetryable == true)
    #expect(error?.description.contains(directory.path) == true)
    #expect(error?.debugDescription.contains("hunter2") == false)
  }

  @Test(arguments: [
    "postgres:/someone:hunter2@host/x", "postgres://someone:hunter2%zz@host/x", "hunter2", "password='hunter2", "",
    "postgres://someone:hunter2@host:port/x", "postgres://someone:hunter2@host/x?nonsense=1", "nonsense=hunter2",
    "host=h password=hunter2\0",
  ])
  func anUnreadableURLIsNotQuoted(_ url: String) async throws {
    let connection = Connection(url: url, applicationName: "test", connectTimeout: .seconds(2))

    let error = await #expect(throws: PostgresError.self) { _ = try await connection.query("select 1") }

    #expect(error?.debugDescription.contains("hunter2") == false)
    #expect(error?.code == .invalidURL || error?.code == .connection)
  }

  @Test func aClosedConnectionIsNotOpenedAgain() async throws {
    let connection = try TemporaryPostgres.statelessConnection()
    _ = try await connection.query("select 1")

    await connection.close()

    let error = await #expect(throws: PostgresError.self) { _ = try await connection.query("select 1") }
    #expect(error?.code == .usage)
  }

  @Test func aStatementIsPreparedOnceForItsTextAndTypes() async throws {
    let connection = try TemporaryPostgres.statelessConnection()
    for number in 1...5 { _ = try await connection.query("select \(number) as a") }
    for text in ["a", "b"] { _ = try await connection.query("select \(text) as a") }

    let rows = try await connection.query(
      """
      select parameter_types::text as types from pg_prepared_statements where statement like 'select $1 as a%' order by 1
      """)

    #expect(rows.map { $0["types"] } == ["{bigint}", "{text}"])
  }

  @Test func theNumberOfPreparedStatementsIsBounded() async throws {
    let connection = try TemporaryPostgres.statelessConnection()
    for number in 1...300 { _ = try await connection.query("select \(unescaped: "\(number)")") }

    let row = try await connection.query("select count(*) as count from pg_prepared_statements").only()

    #expect(try row.decode("count", as: Int.self) <= 256)
  }

  @Test func aPlanThatOutlivedItsTableIsMadeAnew() async throws {
    let connection = try await TemporaryPostgres.connection()
    try await connection.script("create table t (a int)")
    _ = try await connection.query("select * from t")
    try await connection.script("alter table t add b int")

    #expect(try await connection.query("select * from t").columns == ["a", "b"])
  }

  @Test func statementsThatAScriptHasDiscardedArePreparedAnew() async throws {
    let connection = try await TemporaryPostgres.connection()
    _ = try await connection.query("select \(1)")
    try await connection.script("deallocate all")

    #expect(try await connection.query("select \(1)").count == 1)
  }

  @Test(arguments: ["begin", "start transaction", "copy (select 1) to stdout"])
  func aTransactionOrACopyByHandIsRefused(_ text: String) async throws {
    let connection = try TemporaryPostgres.statelessConnection()

    let error = await #expect(throws: PostgresError.self) { _ = try await connection.query(SQL(unescaped: text)) }

    #expect(error?.code == .usage)
    #expect(try await connection.query("select 1").count == 1)
  }

  @Test func statementsThatRefuseTransactionsRun() async throws {
    let connection = try TemporaryPostgres.statelessConnection()

    _ = try await connection.query("vacuum")
  }

  @Test func waitingRequestsHoldNoThreadOfTheSharedPool() async throws {
    let url = try await TemporaryPostgres.database()
    let (holder, observer) = (Connection(url: url, applicationName: "a"), Connection(url: url, applicationName: "b"))
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 2

    let waiting = try await holder.transaction { transaction in
      _ = try await transaction.query("select pg_advisory_xact_lock(1)")
      let waiting = (0..<count).map { _ in
        Task.detached {
          try await Connection(url: url, applicationName: "waiting").query("select pg_advisory_xact_lock(1)").count
        }
      }
      try await observer.waits(
        until: """
          \(count) = (select count(*) from pg_stat_activity
            where application_name = 'waiting' and datname = current_database() and wait_event = 'advisory')
          """)
      return waiting
    }

    for task in waiting { #expect(try await task.value == 1) }
  }

  @Test func requestsOfManyTasksAllGetTheirOwnAnswer() async throws {
    let connection = try TemporaryPostgres.statelessConnection()

    let answers = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      for number in 0..<200 {
        group.addTask { (number, try await connection.query("select \(number) as n").only().decode("n")) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(answers.count == 200)
    #expect(answers.allSatisfy { $0.0 == $0.1 })
  }
}
