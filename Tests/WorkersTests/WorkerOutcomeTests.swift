import FunctionKit
import Testing

@testable import Workers

/// The meaning of a function's ending for its event.
struct WorkerOutcomeTests {
  private static let later = try? RawJSON(validating: Array(#"{"retryAfter":7}"#.utf8)[...])

  @Test(
    arguments: [
      (.exited(0, output: nil), .done, "OK"), (.exited(1, output: nil), .retry(after: nil), "WORKER_ERROR"),
      (.exited(64, output: nil), .permanent, "INVALID_EVENT"), (.exited(65, output: nil), .permanent, "INVALID_EVENT"),
      (.exited(66, output: nil), .permanent, "INVALID_EVENT"),
      (.exited(70, output: nil), .retry(after: nil), "WORKER_ERROR"),
      (.exited(75, output: nil), .retry(after: nil), "UNAVAILABLE"),
      (.exited(75, output: later), .retry(after: 7), "UNAVAILABLE"),
      (.exited(77, output: nil), .pause, "CONFIG_ERROR"), (.exited(78, output: nil), .pause, "CONFIG_ERROR"),
      (.invalidOutput("x"), .permanent, "INVALID_OUTPUT"), (.crashed(signal: 9), .retry(after: nil), "WORKER_CRASH"),
      (.timedOut(seconds: 5), .retry(after: nil), "WORKER_TIMEOUT"), (.couldNotStart("x"), .pause, "BOOT_ERROR"),
      (.stopped, .pause, "RUNNER_STOPPING"),
      (.elsewhere(.init(.refused, "x", .permanent)), .permanent, "TARGET_REFUSED"),
    ] as [(WorkerOutcome.Ending, WorkerOutcome.Disposition, String)])
  func anEndingDecidesAboutTheEvent(
    _ ending: WorkerOutcome.Ending, _ disposition: WorkerOutcome.Disposition, _ code: String
  ) {
    let outcome = WorkerOutcome(ending: ending)

    #expect(outcome.disposition == disposition)
    #expect(outcome.code == code)
  }
}
