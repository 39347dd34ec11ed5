import FoundationEssentials
import Notifications

extension String {
  /// A payload as it is sent with a badge.
  func sent(withBadge badge: Int) -> String {
    let push = QueuedPush(
      id: UUID(), device: QueuedPush.Device(id: UUID(), token: "ab", registeredAt: .now), payload: self, badge: badge,
      collapseID: "c", expiresAt: .now)
    return String(decoding: push.body ?? [], as: UTF8.self)
  }
}
