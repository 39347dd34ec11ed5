import FoundationEssentials

extension Judgement {
  /// The place of the push while its device is offline, and the time until which it is kept; `nil` if it is not kept.
  func storage(seq: Int, now: Date) -> (slot: HeldPushes.Slot, expiresAt: Date?)? {
    let expiresAt = expiration.map { Date(timeIntervalSince1970: Double($0)) }
    guard expiresAt.map({ $0 > now }) ?? true else { return nil }
    switch service {
    case .fcm: return (collapseKey.map { .key($0) } ?? .alone(seq), expiresAt)
    case .apns, .oauth: return (.app(app ?? ""), expiresAt)
    }
  }
}
