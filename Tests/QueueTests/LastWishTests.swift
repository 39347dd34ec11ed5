import FoundationEssentials
import FunctionKit
import Postgres
import RunnerTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Manifest
@testable import Queue
@testable import System

/// The wish of a function in its last run before the runner ends its sessions.
@Suite(.heavy)
@RunnerLoop
struct LastWishTests {
  private let warnings = Warnings()
  private let database: Connection
  private let session: Connection
  private let onlooker: Connection
  private let script: ScriptedPool
  private let functions: NotifiedFunctions

  init() async throws {
    let captured = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    database = captured.connection
    session = Connection(url: captured.url, applicationName: "test", statementTimeout: .seconds(300))
    onlooker = Connection(url: captured.url, applicationName: "test")
    script = try ScriptedPool(
      "cat >/dev/null; echo run >> runs; echo '{\"wakeAt\":\"2030-01-01T00:00:00Z\"}'", mode: .oneshot,
      triggers: [.notify(NotifyTrigger(table: "t"))])
    functions = NotifiedFunctions(
      clock: VirtualClock { _ in }, wakeUps: WakeUps(database: session), log: warnings.log)
    functions.use(["function": script.pool])
  }

  /// The sessions end, while somebody has locked the table, after functions were stopped or taken out.
  @Test(arguments: [false, true]) func isStoredBefore(isTakenOut: Bool) async throws {
    let end = try await database.transaction { transaction in
      _ = try await transaction.query("LOCK TABLE runner.wakeups IN SHARE MODE")
      functions.signal("function")
      #expect(try await Polling.wait(until: .now + .seconds(120)) { functions.ended == 1 })
      if isTakenOut { functions.use([:]) }
      functions.stop()
      let end = Task {
        await functions.finish()
        warnings.note("finished")
        await session.close()
      }
      // In the other databases of the server the table may have the same number.
      try await onlooker.wait(
        until: """
          EXISTS (
            SELECT FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
            WHERE d.datname = current_database() AND l.relation = 'runner.wakeups'::regclass AND NOT l.granted)
          """)
      #expect(warnings.all == [])
      return end
    }
    await end.value

    #expect(warnings.all == ["finished"])
    let wishes: [Bool] = try await database.query(
      "SELECT at = '2030-01-01T00:00:00Z' AS is_kept FROM runner.wakeups"
    ).decode("is_kept")
    #expect(wishes == [true])
  }
}

/// The lines that were logged, and those that a test adds to them.
private final class Warnings: Sendable {
  private let lines = Mutex<[String]>([])

  var log: Log { Log { [self] in note(String(decoding: $0, as: UTF8.self)) } }

  var all: [String] { lines.withLock(\.self) }

  func note(_ line: String) { lines.withLock { $0.append(line) } }
}
