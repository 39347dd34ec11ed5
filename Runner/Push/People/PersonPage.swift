import FoundationEssentials
import Notifications

/// A person's report with what a page shows besides: their next 48 hours, and whether their phones agree.
struct PersonPage: Encodable {
  let person: Person
  let now: Date
  let since: Date
  let apps: [AppPage]
  let decisions: [DecisionReport]
  let total: Int

  /// - Parameter badges: what the devices show, by their rows.
  init(_ report: PersonReport, badges: [RowID: Int]) {
    (person, now, since, total) = (report.person, report.now, report.since, report.total)
    decisions = report.decisions
    apps = report.apps.map { AppPage($0, badges: badges, at: report.now) }
  }
}

/// A person's state in one app.
struct AppPage: Encodable {
  private let state: PersonReport.AppState
  private let devices: [DevicePage]
  private let band: QuietBand?
  /// When a push that is sent now would be shown, unless it may not wait.
  private let shownAt: Date

  init(_ state: PersonReport.AppState, badges: [RowID: Int], at now: Date) {
    self.state = state
    let shown = state.devices.filter(\.isActive).compactMap { badges[$0.device.id] }
    let agree = Set(shown).count <= 1
    devices = state.devices.map { device in
      let badge = badges[device.device.id]
      let differs = !agree && device.isActive && badge.map { $0 != state.badge } ?? false
      return DevicePage(own: device, badge: badge, differs: differs)
    }
    band = state.quietHours.map { QuietBand($0, zone: state.timeZone, from: now) }
    shownAt = state.quietHours?.until ?? now
  }

  private enum Members: String, CodingKey { case devices, band, shownAt }

  func encode(to encoder: any Encoder) throws {
    try state.encode(to: encoder)
    var container = encoder.container(keyedBy: Members.self)
    try container.encode(devices, forKey: .devices)
    try container.encodeIfPresent(band, forKey: .band)
    try container.encode(shownAt, forKey: .shownAt)
  }
}

/// A device with what it shows.
struct DevicePage: Encodable {
  let own: PersonReport.OwnDevice
  /// `nil` if no push has set one, or no emulator runs.
  let badge: Int?
  /// Whether the person's devices show several numbers, and this is not the one that the app counts.
  let differs: Bool

  private enum Members: String, CodingKey { case badge, differs }

  func encode(to encoder: any Encoder) throws {
    try own.encode(to: encoder)
    var container = encoder.container(keyedBy: Members.self)
    try container.encodeIfPresent(badge, forKey: .badge)
    try container.encode(differs, forKey: .differs)
  }
}
