import FoundationEssentials
import Testing

@testable import Notifications

struct EmulatedReportTests {
  @Test(arguments: [PushVerdict.accepted, .deviceGone(at: .distantPast), .rejected, .retryLater(atLeast: nil)])
  func whatAnEmulatorSaysToRealPeopleCountsForNothing(_ verdict: PushVerdict) {
    var report = PushReport(
      verdict: verdict, status: 200, apnsID: "id", environment: .production, topic: "com.example.app")
    #expect(report.withoutEmulator == report)

    report.isEmulated = true
    let left = report.withoutEmulator

    #expect(left.verdict == .notSent(pause: RetryTiming.configuration))
    #expect(left.status == nil && left.apnsID == nil && left.reason == "PushEmulator")
  }
}
