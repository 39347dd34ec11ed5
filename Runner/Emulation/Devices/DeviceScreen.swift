import FunctionKit

/// What a device shows: its notifications as the person would see them, and the app's badge.
package struct DeviceScreen: Sendable {
  package let token: String
  /// The newest last.
  private(set) var notifications: [Notification] = []
  package private(set) var badge: Int?
  /// How many have been shown in all, those that were replaced or scrolled away included.
  package private(set) var shown = 0
  /// How many stand beside another of the same notification, which a collapse id should have replaced.
  package private(set) var duplicates = 0
  private var identities: [ArraySlice<UInt8>: Int] = [:]

  /// A notification on the screen.
  struct Notification: Sendable {
    /// What a later push replaces it by.
    let collapseID: String?
    /// The latest push of it.
    let push: RawJSON
    /// How many pushes it took the place of.
    let replaced: Int
    fileprivate let identity: ArraySlice<UInt8>
  }

  /// The most that one device shows; older ones scroll away.
  package static let capacity = 100

  package init(token: String) {
    self.token = token
  }

  /// The screens of all devices that were sent something, in the order of their first push.
  package static func all(_ pushes: some Sequence<PushRecord>) -> [DeviceScreen] {
    var screens: [DeviceScreen] = []
    var places: [String: Int] = [:]
    for push in pushes where push.isTaken {
      let place = places[push.token] ?? screens.count
      if place == screens.count {
        places[push.token] = place
        screens.append(DeviceScreen(token: push.token))
      }
      screens[place].show(push)
    }
    return screens
  }

  /// Shows a push that reached the device: the same collapse id replaces, and only a push with an alert is seen.
  private mutating func show(_ push: PushRecord) {
    let look = PushLook(push)
    if let badge = look.badge { self.badge = badge }
    guard look.isSeen else { return }
    shown += 1
    let old = look.collapseID.flatMap { id in notifications.firstIndex { $0.collapseID == id } }
    var replaced = 0
    if let old {
      let before = notifications.remove(at: old)
      replaced = before.replaced + 1
      identities[before.identity, default: 1] -= 1
    }
    if identities[look.identity, default: 0] > 0 { duplicates += 1 }
    identities[look.identity, default: 0] += 1
    notifications.append(
      Notification(collapseID: look.collapseID, push: push.json, replaced: replaced, identity: look.identity))
    if notifications.count > Self.capacity { notifications.removeFirst() }
  }

  /// The screen as `GET /devices` shows it.
  package var json: [UInt8] {
    let list = notifications.map { RawJSON(object: [("replaced", RawJSON($0.replaced)), ("push", $0.push)]).bytes }
    let badge = badge.map { String($0) } ?? "null"
    return JSONText.object([
      "token": Array(RawJSON(token).bytes), "badge": Array(badge.utf8), "shown": Array("\(shown)".utf8),
      "duplicates": Array("\(duplicates)".utf8), "notifications": JSONText.array(list),
    ])
  }
}
