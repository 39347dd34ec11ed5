import FunctionKit

/// How a push looks to the person.
struct PushLook: Sendable {
  /// Whether it shows a notification.
  let isSeen: Bool
  let badge: Int?
  /// The id of what it replaces on the screen.
  let collapseID: String?
  /// The common mark of two pushes of one notification: the id that apps send, else the whole payload.
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
    case .apns, .oauth, .channels:
      let aps = payload?["aps"]
      isSeen = aps?["alert"] != nil && (push.pushType ?? PushType.alert.rawValue) == PushType.alert.rawValue
      badge = aps?["badge"]?.intValue
      data = payload
    }
    collapseID = push.collapseID
    identity = (data?.either("notification_id", "notificationId") ?? payload)?.bytes ?? []
  }
}
