import Documents
import FoundationEssentials

extension PersonDocument {
  /// Adds what only a page shows: the next 48 hours, and whether their phones agree.
  ///
  /// - Parameter badges: what the devices show, by their rows.
  mutating func addPage(_ badges: [RowID: Int]) {
    for index in apps.indices { apps[index].addPage(badges, at: now) }
  }
}

extension AppState {
  fileprivate mutating func addPage(_ badges: [RowID: Int], at now: Date) {
    let agree = Set(devices.filter(\.isActive).compactMap { badges[$0.device.id] }).count <= 1
    for index in devices.indices {
      let shown = badges[devices[index].device.id]
      devices[index].badge = shown
      devices[index].differs = !agree && devices[index].isActive && shown.map { $0 != badge } ?? false
    }
    band = quietHours.map { QuietBand($0, zone: timeZone, from: now) }
    shownAt = quietHours?.until ?? now
  }
}
