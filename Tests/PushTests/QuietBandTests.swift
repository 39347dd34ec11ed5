import Documents
import Foundation
import FunctionKit
import Notifications
import Testing

@testable import Push

struct QuietBandTests {
  @Test func theNightOfTheSpringChangeIsAnHourShorter() throws {
    let now = try #require(RFC3339.date("2026-03-28T11:00:30Z"))

    let band = QuietBand(
      QuietHours(startMinute: 22 * 60, endMinute: 7 * 60, timeZone: "Europe/Berlin"), zone: "Europe/Berlin", from: now)

    #expect(band.zone == "Europe/Berlin")
    #expect(band.quiet.map(\.hours) == ["22:00–07:00", "22:00–07:00"])
    #expect(band.quiet.map { $0.until.timeIntervalSince($0.from) / 3_600 } == [8, 9])
    #expect(band.changes.map { [$0.before, $0.after] } == [["01:59", "03:00"]])
    #expect(band.days.map(\.day) == ["2026-03-29", "2026-03-30"])
    #expect(RFC3339.string(band.from).hasPrefix("2026-03-28T11:00:00"))
  }

  @Test func itBeginsInQuietHoursAndHasNoneWithoutThem() throws {
    let now = try #require(RFC3339.date("2026-06-01T23:30:00Z"))

    let night = QuietBand(QuietHours(startMinute: 22 * 60, endMinute: 8 * 60, timeZone: nil), zone: nil, from: now)
    let never = QuietBand(QuietHours(startMinute: 60, endMinute: 60, timeZone: "UTC"), zone: "UTC", from: now)

    #expect(night.quiet.first?.from == now && night.quiet.count == 3)
    #expect(never.quiet.isEmpty && never.changes.isEmpty)
  }

  @Test func itHasTheHoursOfWeekdaysAndWhatIsMuted() throws {
    // A Friday.
    let now = try #require(RFC3339.date("2026-06-05T12:00:00Z"))
    let hours = QuietHours(days: [.saturday: .init(startMinute: 0, endMinute: 0)])
    let mute = AppState.Pause(scope: .group, name: "Hikers", until: now + 90 * 60)

    let band = QuietBand(hours, zone: "Europe/Berlin", muted: [mute], from: now)

    #expect(band.quiet.map(\.hours) == ["22:00–08:00"])
    #expect(band.muted == [.init(what: "group Hikers", until: mute.until, time: "2026-06-05 15:30")])
    #expect(QuietBand(nil, zone: nil, muted: [mute], from: now).quiet.isEmpty)
  }
}
