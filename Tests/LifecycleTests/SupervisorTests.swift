import FunctionKit
import Synchronization
import TestSupport
import Testing

@testable import Lifecycle
@testable import System

/// Lines of a log.
final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  var log: Log { Log { [self] line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } } }

  func contain(_ text: String) -> Bool { lines.withLock { $0.contains { $0.contains(text) } } }
}

@RunnerLoop
struct SupervisorTests {
  private let lines = LogLines()

  @Test func aPartThatEndsIsStartedAgain() async throws {
    let supervisor = Supervisor(log: lines.log, pause: .milliseconds(1)) { Issue.record("It gives up.") }
    var (starts, hasEnded) = (0, false)

    supervisor.keep("listener") {
      starts += 1
      if starts == 3 { try? await Task.sleep(for: .seconds(600)) }
      hasEnded = starts == 3
    }

    #expect(try await Patience.wait(until: .now + .seconds(120)) { starts == 3 })
    #expect(lines.contain(#""part":"listener""#))
    supervisor.cancel()
    #expect(try await Patience.wait(until: .now + .seconds(120)) { hasEnded })
    #expect(starts == 3)
  }

  @Test func oneThatCannotBeStartedAgainEndsTheRunner() async throws {
    var failures = 0
    let supervisor = Supervisor(log: lines.log) { failures += 1 }

    await supervisor.start("events") {}.value

    #expect(failures == 1)
    #expect(lines.contain("cannot go on"))
  }

  @Test func whileItStopsPartsMayEnd() async throws {
    let supervisor = Supervisor(log: lines.log) { Issue.record("It gives up.") }
    let bell = Bell()
    let end = supervisor.start("events") { await bell.wait(upTo: .seconds(600)) }

    supervisor.stop()
    bell.ring()
    await end.value

    #expect(!lines.contain("events"))
  }
}
