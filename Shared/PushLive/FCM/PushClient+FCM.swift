package import Notifications

extension PushClient {
  /// Sends through FCM.
  package static func fcm(_ sender: FCMSender) -> PushClient {
    PushClient { pushes, deadline in await sender.send(pushes, until: deadline) }
  }
}
