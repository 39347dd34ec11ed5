import FoundationEssentials

/// The delivery of one notification to one device.
struct PushReport: Encodable {
  let device: Device
  /// A state of `deliveries`.
  let state: String
  let reason: String?
  /// Why it could not be sent the last time, because its provider or the way there was away.
  let outage: String?
  /// Since when that is so.
  let outageSince: Date?
  /// When it is sent, or sent again, while it is queued.
  let dueAt: Date
  let attempts: [Attempt]
  let openedAt: Date?
  let actedAt: Date?

  struct Attempt: Encodable {
    let at: Date
    /// A status of `push_notification_logs`.
    let status: String
    /// The provider's reason, or ours.
    let reason: String?
    let httpStatus: Int?
    let milliseconds: Int?
  }
}

/// A device, with what may be shown of it.
struct Device: Encodable {
  let id: RowID
  let platform: String
  /// `apns` or `fcm`.
  let provider: String
  /// The first 8 characters of its token.
  let token: String

  var title: String { "\(platform) \(token)…" }
  var carrier: String { provider == "fcm" ? "FCM" : "APNs" }
}
