import Capture
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

/// The commits that wake a runner.
@Suite(.heavy)
struct CaptureNotifyTests {
  private static let functions =
    CapturingDatabase.everything + #", "g": {"triggers": [{"notify": "t"}]}"#

  /// The notifications that a statement sends to a listener while it holds the advisory locks of `held`.
  private func heard(_ channel: String, held: SQL = "", of statement: String) async throws -> [String] {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY, v text)", functions: Self.functions)
    let runner = Connection(url: database.url, applicationName: "runner")
    try await runner.listen(channel)
    _ = try await runner.query("SELECT 1 AS one" + held)

    try await database.connection.script(statement)
    _ = try await database.connection.query("SELECT pg_notify(\(channel), 'the end')")

    var heard: [String] = []
    while heard.last != "the end" {
      heard += try await runner.notifications(waitingUpTo: .seconds(120)).map(\.payload)
    }
    return heard.dropLast()
  }

  private static let insert = "INSERT INTO t SELECT i FROM generate_series(1, 100) AS i; UPDATE t SET v = 'a'"
  private static let partitions: SQL = """
    , pg_advisory_lock(\(AdvisoryLock.sleep), partition) FROM generate_series(0, 15) AS partition
    """

  private static let enqueue = "SELECT runner.enqueue('f', 'k', 'i', 's', 't', '{}')"

  @Test(arguments: [insert, enqueue])
  func aSleepingRunnerIsNotifiedOnceForATransaction(_ statement: String) async throws {
    #expect(try await heard("runner_events", held: Self.partitions, of: statement) == [""])
  }

  @Test(arguments: [insert, enqueue])
  func nobodyIsNotifiedWhileEveryRunnerIsAwakeOrGone(_ statement: String) async throws {
    #expect(try await heard("runner_events", of: statement) == [])
  }

  @Test func theSleepOfOtherPartitionsDoesNotCount() async throws {
    let others: SQL =
      "\(Self.partitions) WHERE partition <> runner.partition('f', '7')"
    #expect(try await heard("runner_events", held: others, of: "INSERT INTO t VALUES (7)") == [])
    let own: SQL = ", pg_advisory_lock(\(AdvisoryLock.sleep), runner.partition('f', '7'))"
    #expect(try await heard("runner_events", held: own, of: "INSERT INTO t VALUES (7)") == [""])
  }

  /// A transaction that goes on must not keep a runner awake.
  @Test func whoFoundTheLockFreeDoesNotKeepIt() async throws {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY, v text)", functions: Self.functions)
    let runner = Connection(url: database.url, applicationName: "runner")

    let free = try await database.connection.transaction { transaction in
      try await transaction.script("\(Self.insert); \(Self.enqueue)")
      return try await runner.query(
        "SELECT FROM generate_series(0, 15) AS partition WHERE pg_try_advisory_lock(\(AdvisoryLock.sleep), partition)"
      ).count
    }

    #expect(free == 16)
  }

  @Test func aNotifiedFunctionIsWokenUnlessItLooksAgainAnyhow() async throws {
    let sleeping: SQL = ", pg_advisory_lock(\(AdvisoryLock.sleep), 256 + (hashtext('g') & 1023))"
    #expect(try await heard("runner_notify", of: Self.insert) == ["g"])
    #expect(try await heard("runner_notify", held: sleeping, of: Self.insert) == [])
    #expect(try await heard("runner_notify", held: Self.partitions, of: Self.insert) == ["g"])
  }
}
