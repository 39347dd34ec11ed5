import FunctionKit
import HTTP1
import Postgres
import Synchronization
import Testing

@testable import Gateway
@testable import Manifest
@testable import System
@testable import Workers

/// The calls that the history keeps when they come faster than it can write.
struct CallHistoryTests {
  @RunnerLoop
  private func leftOut(successes: Int, failures: Int) async throws -> Int {
    let database = Connection(url: "postgresql://127.0.0.1:1/nowhere", applicationName: "test")
    let history = CallHistory(database: database, keepsPayloads: true, log: Log { _ in })
    let event = try CallEvent(HTTP1Request(method: "POST", path: "/"), to: "f", auth: .key, callID: "c")
    for number in 0..<successes + failures {
      history.add(
        event, of: FunctionEntry(name: "f"),
        WorkerOutcome(ending: number < successes ? .exited(0, output: nil) : .crashed(signal: 9)), began: .now)
    }
    let leftOut = history.leftOut
    // It would try again each second as long as this process lives.
    await history.close()
    return leftOut
  }

  @Test func aFloodOfSuccessesIsCutAndFailuresAreKept() async throws {
    #expect(try await leftOut(successes: 200, failures: 4_000) == 0)
    #expect(try await leftOut(successes: 700, failures: 4_000) == 500)
  }

  @Test func itsMemoryIsBounded() async throws {
    #expect(try await leftOut(successes: 0, failures: 6_000) == 1_000)
  }

  @RunnerLoop
  @Test func itsMemoryIsBoundedWhileTheDatabaseDoesNotAnswer() async throws {
    let database = Connection(url: "postgresql://127.0.0.1:1/nowhere", applicationName: "test")
    let history = CallHistory(database: database, keepsPayloads: false, log: Log { _ in })
    let event = try CallEvent(HTTP1Request(method: "POST", path: "/"), to: "f", auth: .key, callID: "c")
    let fail = { @RunnerLoop in
      for _ in 0..<5_000 {
        history.add(event, of: FunctionEntry(name: "f"), WorkerOutcome(ending: .crashed(signal: 9)), began: .now)
      }
    }
    fail()
    let writing = Task { await history.close() }
    await Task.yield()

    fail()
    await writing.value

    #expect(history.leftOut == 5_000)
    await history.close()
  }
}
