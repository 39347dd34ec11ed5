package import PushPayload

/// How much a kind of notification matters; the raw value is stored in the column `importance`.
package enum Importance: String, Sendable, CaseIterable, Comparable {
  /// Nice to know.
  case passive
  /// Something happened that the person follows.
  case normal
  /// Somebody waits for the person.
  case actionRequired
  /// Worth disturbing the person for, now.
  case urgent

  package static func < (left: Importance, right: Importance) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .passive: 0
    case .normal: 1
    case .actionRequired: 2
    case .urgent: 3
    }
  }

  /// How much the push may disturb; critical alerts depend on the kind and the person.
  package var interruptionLevel: PushPayload.InterruptionLevel {
    switch self {
    case .passive: .passive
    case .normal, .actionRequired: .active
    case .urgent: .timeSensitive
    }
  }

  /// The push's rank in a summary, from 0 to 1.
  package var relevanceScore: Double { Double(rank + 1) / 4 }

  /// Whether the push makes a sound.
  package var hasSound: Bool { self != .passive }

  /// `apns-priority`: 10 delivers at once, 5 at a good time for the device's battery.
  package var pushPriority: Int { self == .passive ? 5 : 10 }
}
