import FoundationEssentials
import FunctionKit
import Testing

@testable import CLI

/// Times and lengths of time as people type and read them.
struct TimeTextTests {
  @Test(arguments: [
    ("90s", 90.0), ("15m", 900), ("36h", 129_600), ("8d", 691_200), ("1d12h", 129_600), ("2w", 1_209_600),
    ("1h1h", 7_200),
  ])
  func readsNumbersWithUnits(_ text: String, _ seconds: Double) throws {
    #expect(try TimeText.seconds(text) == seconds)
  }

  @Test(arguments: ["", "8", "h", "8x", "-8d", "8 d", "1.5h", "0s", "1hh", "101000d", "٣d", "99999999999s", "8d "])
  func refusesWhatIsNoLength(_ text: String) {
    #expect(throws: FunctionError.self) { try TimeText.seconds(text) }
  }

  /// The sum would be more than an integer holds.
  @Test func refusesAnEndlessSum() {
    let text = String(repeating: "9999999999w", count: 2_000)
    #expect(throws: FunctionError.self) { try TimeText.seconds(text) }
  }

  @Test(arguments: [
    (0.25, "250 ms"), (0.0996, "99 ms"), (0.004_21, "4.2 ms"), (0.006, "6 ms"), (-3, "0 ms"), (12.4, "12 s"),
    (200, "3 min 20 s"), (3_600, "1 h"), (18_120, "5 h 2 min"), (702_000, "8 d 3 h"),
  ])
  func lengthsAreReadable(_ seconds: Double, _ text: String) {
    #expect(TimeText.length(seconds) == text)
  }

  @Test func aPageHasDayAndTimeAndTheYearWhereItIsAnother() throws {
    let date = try #require(RFC3339.date("2026-12-01T07:00:01.4Z"))
    #expect(TimeText.onPage(date, now: date) == "1 Dec, 07:00 UTC")
    #expect(TimeText.onPage(date, now: date, hasSeconds: true) == "1 Dec, 07:00:01 UTC")
    #expect(TimeText.onPage(date, now: date + 40 * 86_400) == "1 Dec 2026, 07:00 UTC")
    #expect(TimeText.onPage(local: "2026-03-29 02:30:00+01:00", now: "2026-11-30") == "29 Mar, 02:30")
    #expect(TimeText.day("2026-03-29") == "29 Mar" && TimeText.day("") == " ")
  }

  @Test(arguments: [
    0, 1, 499_999, 500_000, 999_999, 1_785_600_000_123_456, 1_785_600_000_999_999, 4_102_444_799_999_999,
  ])
  func anExactInstantIsReadAsItWasWritten(_ microseconds: Int) throws {
    let text = TimeText.exact(Date(timeIntervalSince1970: Double(microseconds) / 1e6))

    #expect(text.hasSuffix(".\("\(1_000_000 + microseconds % 1_000_000)".dropFirst())Z"))
    #expect(Int((try TimeText.date(text).timeIntervalSince1970 * 1e6).rounded()) == microseconds)
  }

  @Test func aNarrowColumnLeavesOutTheYearThatItIs() {
    let date = Date(timeIntervalSince1970: 1_785_600_000)

    #expect(TimeText.brief(date, now: date + 86_400) == "08-01 16:00:00Z")
    #expect(TimeText.brief(date, now: date + 86_400 * 200) == "2026-08-01 16:00:00Z")
  }

  @Test(
    arguments: [
      (0, "just now"), (4.4, "just now"), (12, "12 s ago"), (59.6, "1 min ago"), (7_199, "1 h ago"),
      (90_000, "1 d ago"),
      (-200, "in 3 min"),
    ] as [(Double, String)])
  func aDistanceIsSaidInOneUnit(_ seconds: Double, _ text: String) {
    let now = Date(timeIntervalSince1970: 1_785_600_000)
    #expect(TimeText.ago(now - seconds, now: now) == text)
  }

  @Test(arguments: [
    ("2026-11-29T09:00:00Z", "2026-11-29 09:00:00Z"), ("2026-11-29 09:00", "2026-11-29 09:00:00Z"),
    ("2026-11-29", "2026-11-29 00:00:00Z"), ("2026-11-29T09:00:30.9+01:00", "2026-11-29 08:00:30Z"),
    ("1969-12-31T23:59:59.5Z", "1969-12-31 23:59:59Z"),
  ])
  func readsShortFormsAsUTC(_ text: String, _ shown: String) throws {
    #expect(TimeText.of(try TimeText.date(text)) == shown)
  }

  @Test(arguments: ["", "tomorrow", "2026-13-01", "09:00", "2026-11-29 25:00"])
  func refusesWhatIsNoInstant(_ text: String) {
    #expect(throws: FunctionError.self) { try TimeText.date(text) }
  }
}
