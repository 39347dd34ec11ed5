package import FunctionKit

/// What the person sees of a push.
struct PushLook: Sendable {
  /// Whether it shows a notification.
  let isSeen: Bool
  let badge: Int?
  /// What it replaces on the screen.
  let collapseID: String?
  /// What two pushes of the same notification have in common: the id that apps send along, else the whole payload.
  let identity: ArraySlice<UInt8>

  init(_ push: PushRecord) {
    let payload = push.json["payload"]
    let data: RawJSON?
    switch push.service {
    case .fcm:
      let android = payload?["android"]
      let notification = android?["notification"]
      isSeen = payload?["notification"] != nil || notification != nil
      badge = notification?.either("notification_count", "notificationCount")?.intValue
      data = payload?["data"]
    case .apns, .oauth:
      let aps = payload?["aps"]
      isSeen = aps?["alert"] != nil && (push.pushType ?? PushType.alert.rawValue) == PushType.alert.rawValue
      badge = aps?["badge"]?.intValue
      data = payload
    }
    collapseID = push.collapseID
    identity = (data?.either("notification_id", "notificationId") ?? payload)?.bytes ?? []
  }
}

extension RawJSON {
  /// A member in either of the two spellings that protobuf's JSON allows.
  package func either(_ snakeCase: String, _ camelCase: String) -> RawJSON? { self[snakeCase] ?? self[camelCase] }
}
