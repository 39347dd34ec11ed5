import Glibc
import Postgres
import TestSupport
import Testing

/// A server that says nothing any more and does not close the connection: its process is stopped.
@Suite(.heavy)
struct SilenceTests {
  private let url: String
  private let observer: Connection

  init() async throws {
    url = try await TemporaryPostgres.database()
    observer = Connection(url: url, applicationName: "observer")
    try await observer.script("create table t (id bigint)")
  }

  /// Stops the server's process of a connection for as long as the body runs.
  private func whileSilent<Answer>(
    _ connection: Connection, after idle: Double = 0, _ body: () async throws -> Answer
  ) async throws -> Answer {
    let process = pid_t(try await processID(of: connection))
    if idle > 0 { _ = try await observer.query("select pg_sleep(\(idle))") }
    kill(process, SIGSTOP)
    defer { kill(process, SIGCONT) }
    return try await body()
  }

  @Test func anIdleSessionThatFellSilentGetsNothingAndAnotherTakesItsPlace() async throws {
    let connection = Connection(url: url, applicationName: "test")

    // On the silent session it would fail at the statement's limit.
    try await whileSilent(connection, after: 1.1) {
      _ = try await connection.query("insert into t values (\(1))")
    }

    #expect(try await connection.query("select * from t").count == 1)
  }

  @Test func anIdleSessionIsTriedBeforeATransactionAndAWaitForNotifications() async throws {
    let connection = Connection(url: url, applicationName: "test")

    try await whileSilent(connection, after: 1.1) {
      try await connection.transaction { _ = try await $0.query("insert into t values (\(1))") }
    }
    let heard = try await whileSilent(connection, after: 1.1) {
      try await connection.notifications(waitingUpTo: .seconds(600))
    }

    // It returns at once, since messages to the lost session are lost.
    #expect(heard.isEmpty)
    #expect(try await observer.query("select * from t").count == 1)
  }

  @Test func anUnansweredRequestIsTheNetworksFault() async throws {
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .milliseconds(100))

    let error = try await whileSilent(connection) {
      await #expect(throws: PostgresError.self) { _ = try await connection.query("insert into t values (\(1))") }
    }

    #expect(error?.code == .timedOut)
    #expect(error?.sqlState == nil)
    #expect(error?.isOfNetwork == true)
    #expect(error?.outcomeIsUnknown == true)
    try await connection.answersAgain()
  }

  @Test func anUnansweredCommitIsUnknownAndTheNetworksFault() async throws {
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .milliseconds(100))

    let error = try await whileSilent(connection) {
      await #expect(throws: PostgresError.self) {
        try await connection.transaction { _ = try await $0.commit(after: ["insert into t values (\(1))"]) }
      }
    }

    #expect(error?.code == .commitUnknown)
    #expect(error?.isOfNetwork == true)
  }

  @Test func statementsMayTakeLongTogetherWhileTheServerWorks() async throws {
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(1))

    let answers = try await connection.pipeline([SQL](repeating: "select pg_sleep(0.7)", count: 6))

    #expect(answers.count == 6)
  }

  @Test func unansweredStatementsAreTheNetworksFault() async throws {
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .milliseconds(100))

    // The limits of a hundred statements together would be longer than this test's time limit.
    let error = try await whileSilent(connection) {
      await #expect(throws: PostgresError.self) {
        try await patiently {
          _ = try await connection.pipeline([SQL](repeating: "insert into t values (1)", count: 100))
        }
      }
    }

    #expect(error?.code == .commitUnknown)
    #expect(error?.isOfNetwork == true)
  }

  @Test func whatCannotBeReachedIsTheNetworksFault() async throws {
    let directory = try TemporaryDirectory()
    let connection = Connection(url: "postgres:///x?host=\(directory.path)", applicationName: "test")

    let error = await #expect(throws: PostgresError.self) { _ = try await connection.query("select 1") }

    #expect(error?.isOfNetwork == true)
    #expect(error?.outcomeIsUnknown == false)
  }

  /// A statement that ends its server's process is not to be repeated without end.
  @Test func aServerThatEndsTheSessionIsNotTheNetworksFault() async throws {
    let connection = Connection(url: url, applicationName: "test")

    let error = await #expect(throws: PostgresError.self) {
      _ = try await connection.query("select pg_terminate_backend(pg_backend_pid())")
    }

    #expect(error?.code == .connection)
    #expect(error?.isOfNetwork == false)
  }
}
