public import PushPayload

/// How much a kind of notification matters; the raw value stands in the column `importance`.
public enum Importance: String, Sendable, CaseIterable, Comparable {
  /// Nice to know.
  case passive
  /// Something happened that the person follows.
  case normal
  /// Somebody waits for the person.
  case actionRequired
  /// Worth disturbing the person for, now.
  case urgent

  /// From the least to the most important.
  public static func < (left: Importance, right: Importance) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .passive: 0
    case .normal: 1
    case .actionRequired: 2
    case .urgent: 3
    }
  }

  /// How much the push may disturb; the kind and the person decide about a critical alert.
  public var interruptionLevel: PushPayload.InterruptionLevel {
    switch self {
    case .passive: .passive
    case .normal, .actionRequired: .active
    case .urgent: .timeSensitive
    }
  }

  /// Where the push stands in a summary, from 0 to 1.
  public var relevanceScore: Double { Double(rank + 1) / 4 }

  /// Whether the push makes a sound.
  public var hasSound: Bool { self != .passive }

  /// `apns-priority`: 10 delivers at once, 5 when it suits the device's battery.
  public var pushPriority: Int { self == .passive ? 5 : 10 }
}
