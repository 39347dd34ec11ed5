import FunctionKit

/// What a device shows: its notifications as the person would see them, and the app's badge.
struct DeviceScreen: Sendable {
  let token: String
  /// The newest last.
  private(set) var notifications: [Notification] = []
  private(set) var badge: Int?

  /// A notification on the screen.
  struct Notification: Sendable {
    /// What a later push replaces it by.
    let collapseID: String?
    /// The latest push of it.
    let push: RawJSON
    /// How many pushes it took the place of.
    let replaced: Int
  }

  /// The most that one device shows; older ones scroll away.
  static let capacity = 100

  init(token: String) {
    self.token = token
  }

  /// The screens of all devices that were sent something, in the order of their first push.
  static func all(_ pushes: some Sequence<PushRecord>) -> [DeviceScreen] {
    var screens: [DeviceScreen] = []
    var places: [String: Int] = [:]
    for push in pushes where reachedDevice(push) {
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
    let aps = push.json["payload"]?["aps"]
    if let badge = aps?["badge"]?.intValue { self.badge = badge }
    let type = push.json["pushType"]?.stringValue ?? PushType.alert.rawValue
    guard aps?["alert"] != nil, type == PushType.alert.rawValue else { return }
    let collapseID = push.json["collapseID"]?.stringValue
    let old = collapseID.flatMap { id in notifications.firstIndex { $0.collapseID == id } }
    let replaced = old.map { notifications.remove(at: $0).replaced + 1 } ?? 0
    notifications.append(Notification(collapseID: collapseID, push: push.json, replaced: replaced))
    if notifications.count > Self.capacity { notifications.removeFirst() }
  }

  private static func reachedDevice(_ push: PushRecord) -> Bool {
    [nil, 200].contains(push.json["status"]?.intValue)
  }

  /// The screen as `GET /devices` shows it.
  var json: [UInt8] {
    let shown = notifications.map { RawJSON(object: [("replaced", RawJSON($0.replaced)), ("push", $0.push)]).bytes }
    let badge = badge.map { String($0) } ?? "null"
    return JSONText.object([
      "token": Array(RawJSON(token).bytes), "badge": Array(badge.utf8), "notifications": JSONText.array(shown),
    ])
  }
}
