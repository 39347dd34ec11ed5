import FunctionKit
import Synchronization
import Testing

@testable import System

/// Work that nobody waits for.
@RunnerLoop
struct BackgroundTaskTests {
  private struct Failure: Error, CustomStringConvertible {
    let description = "the disk is full"
  }

  @Test func aFailureIsLoggedWithTheNameOfTheWork() async throws {
    let lines = Mutex<[String]>([])
    let log = Log { line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }

    await BackgroundTask.start("counting sheep", log: log) { throw Failure() }.value
    await BackgroundTask.start("counting cows", log: log) {}.value

    let line = try #require(lines.withLock { $0.count == 1 ? $0.first : nil })
    let fields = try RawJSON(validating: Array(line.utf8)[...])
    #expect(fields["level"]?.stringValue == "warning")
    #expect(fields["work"]?.stringValue == "counting sheep")
    #expect(fields["error.cause"]?.stringValue == "the disk is full")
  }

  @Test func theTaskHasTheNameForWhoLooksAtTheProcess() async {
    var name: String?

    await BackgroundTask.start("counting sheep") { name = Task.name }.value

    #expect(name == "counting sheep")
  }
}
