/// Why somebody may be told of an event; of several reasons only the strongest counts.
public enum RecipientReason: String, Sendable, CaseIterable, Comparable {
  /// They voted for it.
  case voter
  /// It is in their project or group.
  case member
  /// They submitted it.
  case submitter

  /// From the weakest to the strongest.
  public static func < (left: RecipientReason, right: RecipientReason) -> Bool { left.strength < right.strength }

  /// A number that grows with the strength.
  public var strength: Int {
    switch self {
    case .voter: 1
    case .member: 2
    case .submitter: 3
    }
  }
}
