package import Notifications

extension PushClient {
  /// Sends through APNs.
  package static func apns(_ sender: APNsSender) -> PushClient {
    PushClient { pushes, deadline in await sender.send(pushes, until: deadline) }
  }
}
