import FoundationEssentials
import FunctionKit
import Testing

@testable import CLI

/// How far somebody says that a clock goes.
struct WayAheadTests {
  @Test(arguments: [
    ("90s", WayAhead.by(90)), ("1d12h", .by(129_600)), ("22:00", .to(79_200)), ("00:00", .to(0)), ("0:00", .to(0)),
    ("7:05", .to(25_500)), ("07:05", .to(25_500)), ("23:59", .to(86_340)),
  ])
  func readsLengthsAndTimesOfDay(_ text: String, _ way: WayAhead) throws {
    #expect(try WayAhead(text) == way)
  }

  @Test(arguments: [
    "", ":", "24:00", "22:60", "7:5", "22:", ":30", "022:00", "22:000", "22:00:00", "-1:00", "+1:00", " 22:00", "22:0h",
    "٢٢:٠٠", "22.00", "22", "0s", "1d22:00",
  ])
  func refusesWhatIsNeither(_ text: String) {
    let error = #expect(throws: FunctionError.self) { try WayAhead(text) }
    #expect(error?.code == .usage && error?.message.contains("or 22:00, which is in UTC.") == true)
  }

  @Test(arguments: [
    ("22:00", "2026-11-30T21:59:59.5Z", "2026-11-30 22:00:00Z"),
    ("22:00", "2026-11-30T22:00:00Z", "2026-12-01 22:00:00Z"),
    ("22:00", "2026-12-31T22:00:00.5Z", "2027-01-01 22:00:00Z"),
    ("00:00", "2026-11-30T00:00:00Z", "2026-12-01 00:00:00Z"),
    ("00:00", "2026-11-29T23:59:59Z", "2026-11-30 00:00:00Z"),
    ("00:00", "2028-02-28T08:00:00Z", "2028-02-29 00:00:00Z"),
    ("1:30", "1969-12-31T23:00:00Z", "1970-01-01 01:30:00Z"), ("90s", "2026-11-30T21:59:00Z", "2026-11-30 22:00:30Z"),
  ])
  func leadsToTheNextSuchMoment(_ text: String, _ now: String, _ end: String) throws {
    let now = try #require(RFC3339.date(now))
    #expect(TimeText.of(try WayAhead(text).end(from: now)) == end)
  }
}
