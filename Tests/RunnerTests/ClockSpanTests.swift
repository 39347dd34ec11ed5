import FunctionKit
import Testing

@testable import Runner

struct ClockSpanTests {
  @Test(arguments: [
    ("90s", 90), ("15m", 900), ("36h", 129_600), ("8d", 691_200), ("1d12h", 129_600), ("2w", 1_209_600),
    ("1h1h", 7_200),
  ])
  func readsNumbersWithUnits(_ text: String, _ seconds: Int) throws {
    #expect(try ClockSpan(text).seconds == seconds)
  }

  @Test(arguments: ["", "8", "d", "8x", "-8d", "8 d", "1.5h", "0s", "101000d", "٣d", "99999999999s", "8d "])
  func refusesWhatIsNoLength(_ text: String) {
    #expect(throws: FunctionError.self) { try ClockSpan(text) }
  }

  @Test(arguments: [
    (0, "0s"), (90, "1m30s"), (3_600, "1h"), (129_600, "1d12h"), (691_200, "8d"), (1_209_600, "14d"),
    (86_461, "1d1m1s"),
  ])
  func showsTheLargestUnitsThatFit(_ seconds: Int, _ text: String) {
    #expect(ClockSpan(seconds: seconds).text == text)
  }
}

struct InstantTextTests {
  @Test(arguments: [
    ("2026-11-29T09:00:00Z", "2026-11-29 09:00:00Z"), ("2026-11-29 09:00", "2026-11-29 09:00:00Z"),
    ("2026-11-29", "2026-11-29 00:00:00Z"), ("2026-11-29T09:00:30.9+01:00", "2026-11-29 08:00:30Z"),
    ("1969-12-31T23:59:59.5Z", "1969-12-31 23:59:59Z"),
  ])
  func readsShortFormsAsUTC(_ text: String, _ shown: String) throws {
    #expect(InstantText.show(try InstantText.read(text)) == shown)
  }

  @Test(arguments: ["", "tomorrow", "2026-13-01", "09:00", "2026-11-29 25:00"])
  func refusesWhatIsNoInstant(_ text: String) {
    #expect(throws: FunctionError.self) { try InstantText.read(text) }
  }
}
