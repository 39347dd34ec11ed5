import Postgres
import TestSupport
import Testing

@testable import Runner

/// Which commits wake a runner.
@Suite(.makesDatabases)
struct CaptureBellTests {
  private static let functions =
    CapturingDatabase.everything + #", "g": {"triggers": [{"notify": "t"}]}"#

  /// What a listener hears of a statement while another session holds the advisory locks of `held`.
  private func heard(_ channel: String, attended: Bool = true, held: SQL = "", of statement: String) async throws
    -> [String]
  {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY, v text)", functions: Self.functions)
    if attended {
      try await database.connection.script(
        "UPDATE runner.leases SET expires_at = 'infinity', owner = gen_random_uuid()")
    }
    let runner = Connection(url: database.url, applicationName: "runner")
    try await runner.listen(channel)
    _ = try await runner.query("SELECT 1 AS one" + held)

    try await database.connection.script(statement)
    _ = try await database.connection.query("SELECT pg_notify(\(channel), 'the end')")

    var heard: [String] = []
    while heard.last != "the end" {
      heard += try await runner.notifications(waitingUpTo: .seconds(20)).map(\.payload)
    }
    return heard.dropLast()
  }

  private static let insert = "INSERT INTO t SELECT i FROM generate_series(1, 100) AS i; UPDATE t SET v = 'a'"
  private static let lanes: SQL = ", pg_advisory_lock(7265826, lane) FROM generate_series(0, 15) AS lane"

  @Test func aSleepingRunnerIsRungOnceForATransaction() async throws {
    #expect(try await heard("runner_events", of: Self.insert) == [""])
  }

  @Test func aRunnerThatIsAwakeIsNotRung() async throws {
    #expect(try await heard("runner_events", held: Self.lanes, of: Self.insert) == [])
  }

  @Test func theBellsOfOtherLanesDoNotCount() async throws {
    let others: SQL =
      ", pg_advisory_lock(7265826, lane) FROM generate_series(0, 15) AS lane WHERE lane <> runner.lane('f', '7')"
    #expect(try await heard("runner_events", held: others, of: "INSERT INTO t VALUES (7)") == [""])
  }

  @Test(arguments: [insert, "SELECT runner.enqueue('f', 'k', 'i', 's', 't', '{}')"])
  func nobodyIsRungWhileNoRunnerLives(_ statement: String) async throws {
    #expect(try await heard("runner_events", attended: false, of: statement) == [])
  }

  @Test func anEventPutInLineRingsToo() async throws {
    let statement = "SELECT runner.enqueue('f', 'k', 'i', 's', 't', '{}')"
    #expect(try await heard("runner_events", of: statement) == [""])
    #expect(try await heard("runner_events", held: Self.lanes, of: statement) == [])
  }

  @Test func aNotifiedFunctionIsRungUnlessItLooksAgainAnyhow() async throws {
    let bell: SQL = ", pg_advisory_lock(7265826, 16 + (hashtext('g') & 1023))"
    #expect(try await heard("runner_notify", of: Self.insert) == ["g"])
    #expect(try await heard("runner_notify", held: bell, of: Self.insert) == [])
    #expect(try await heard("runner_notify", held: Self.lanes, of: Self.insert) == ["g"])
  }
}
