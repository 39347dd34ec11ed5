import FoundationEssentials
import FunctionKit
import Testing

struct RFC3339Tests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0.0), ("2026-01-02T03:04:05.6+00:00", 1_767_323_045.6),
    ("2026-01-02 03:04:05+00", 1_767_323_045), ("2026-01-02T05:04:05+02:00", 1_767_323_045),
    ("2026-01-01T21:34:05-05:30", 1_767_323_045), ("2000-02-29T00:00:00Z", 951_782_400),
    ("1969-12-31T23:59:59Z", -1), ("2026-01-02T03:04:05.123456Z", 1_767_323_045.123456),
  ])
  func readsTimes(_ text: String, _ seconds: Double) {
    #expect(RFC3339.date(text).map { abs($0.timeIntervalSince1970 - seconds) < 0.000_01 } == true)
  }

  @Test(arguments: [
    "", "2026", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:04Z",
    "2026-01-02T03:04:05", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05Zx", "2026-01-02T03:04:05+2",
  ])
  func refusesOthers(_ text: String) {
    #expect(RFC3339.date(text) == nil)
  }

  @Test(arguments: [
    (0.0, "1970-01-01T00:00:00.000Z"), (1_767_323_045.6, "2026-01-02T03:04:05.600Z"),
    (-0.5, "1969-12-31T23:59:59.500Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
  ])
  func writesUTCWithMilliseconds(_ seconds: Double, _ text: String) {
    #expect(RFC3339.string(Date(timeIntervalSince1970: seconds)) == text)
  }
}
