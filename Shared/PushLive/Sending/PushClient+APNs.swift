public import Notifications

extension PushClient {
  /// Sends through APNs.
  public static func apns(_ sender: APNsSender) -> PushClient {
    PushClient { pushes, deadline in await sender.send(pushes, until: deadline) }
  }
}
