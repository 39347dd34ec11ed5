import FunctionKit

/// The screen of a device: its notifications and the app's badge.
struct DeviceScreen: Sendable {
  let token: String
  /// The notifications, the newest last.
  private(set) var notifications: [Notification] = []
  private(set) var badge: Int?
  /// When a push has set it.
  private var badgeAt: RawJSON?
  /// How many were shown in all, with those that were replaced or have scrolled away.
  private(set) var shown = 0
  /// How many are duplicates of a notification, which a collapse id should have replaced.
  private(set) var duplicates = 0
  private var identities: [ArraySlice<UInt8>: Int] = [:]

  /// A notification on the screen.
  struct Notification: Sendable {
    /// The id by which a later push replaces it.
    let collapseID: String?
    /// Its latest push.
    let push: RawJSON
    /// How many pushes it has replaced.
    let replaced: Int
    fileprivate let identity: ArraySlice<UInt8>
  }

  /// The most notifications of a device; older ones scroll away.
  static let capacity = 100

  init(token: String) {
    self.token = token
  }

  /// The screens of the devices with the newest pushes, the newest first, and the number of all devices with a push.
  static func newest(
    _ count: Int, _ pushes: some BidirectionalCollection<PushRecord>
  ) -> (screens: [DeviceScreen], total: Int) {
    var known: Set<String> = []
    var newest: [String] = []
    for push in pushes.reversed() where push.isOnScreen && known.insert(push.phone).inserted && newest.count < count {
      newest.append(push.phone)
    }
    let wanted = Set(newest)
    let screens = Dictionary(
      uniqueKeysWithValues: all(pushes.lazy.filter { wanted.contains($0.phone) }).map { ($0.token, $0) })
    return (newest.compactMap { screens[$0] }, known.count)
  }

  /// The screens of all devices with a push, in the order of their first push.
  static func all(_ pushes: some Sequence<PushRecord>) -> [DeviceScreen] {
    var screens: [DeviceScreen] = []
    var places: [String: Int] = [:]
    for push in pushes where push.isOnScreen {
      let place = places[push.phone] ?? screens.count
      if place == screens.count {
        places[push.phone] = place
        screens.append(DeviceScreen(token: push.phone))
      }
      screens[place].show(push)
    }
    return screens
  }

  /// Shows a push that reached the device.
  ///
  /// It replaces one with the same collapse id, and is seen only with an alert.
  private mutating func show(_ push: PushRecord) {
    let look = PushLook(push)
    if let badge = look.badge { (self.badge, badgeAt) = (badge, push.json["receivedAt"]) }
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

  /// The screen for `GET /devices`.
  ///
  /// - Parameters:
  ///   - count: how many notifications it has, the newest; `nil` for all. `others` counts those that it has not.
  ///   - activities: its Live Activities, in the form of `GET /activities`.
  func json(notes count: Int? = nil, activities: [RawJSON] = []) -> [UInt8] {
    let listed = notifications.suffix(count ?? notifications.count)
    let list = listed.map { RawJSON(object: [("replaced", RawJSON($0.replaced)), ("push", $0.push)]).bytes }
    let badge = badge.map { String($0) } ?? "null"
    return JSONText.object([
      "token": Array(RawJSON(token).bytes), "badge": Array(badge.utf8),
      "badgeAt": badgeAt.map { Array($0.bytes) } ?? Array("null".utf8), "shown": Array("\(shown)".utf8),
      "duplicates": Array("\(duplicates)".utf8), "notifications": JSONText.array(list),
      "others": Array("\(notifications.count - listed.count)".utf8),
      "activities": JSONText.array(activities.map(\.bytes)),
    ])
  }
}

extension PushRecord {
  /// Whether it is on the screen of its device; a broadcast has none of its own.
  fileprivate var isOnScreen: Bool { isTaken && channel == nil }
}
