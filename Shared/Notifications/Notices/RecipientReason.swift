/// Why somebody may be told of an event; of several reasons only the strongest counts.
public enum RecipientReason: String, Sendable, CaseIterable, Comparable {
  /// They voted for it, or on it.
  case voter
  /// It is in their project or group.
  case member
  /// They take part in it.
  case attendee
  /// They proposed it, or organise it.
  case organizer
  /// They submitted it.
  case submitter
  /// It is addressed to them, or happened to them.
  case addressee

  /// From the weakest to the strongest.
  public static func < (left: RecipientReason, right: RecipientReason) -> Bool { left.strength < right.strength }

  /// A number that grows with the strength.
  public var strength: Int { 1 + (Self.allCases.firstIndex(of: self) ?? 0) }
}

/// The person that a notice speaks to, as far as its words depend on them.
public struct Recipient: Sendable, Hashable {
  /// Why they are told.
  public let reason: RecipientReason
  /// Their time zone, an IANA name; `nil` where nobody said, which stands for UTC.
  public let timeZone: String?
  /// Their way to the event; `nil` where nobody said, or it does not matter.
  public let travel: Travel?
  /// Which of the notice's variants they read; `nil` while none is tried out.
  public let variant: String?

  /// A recipient who is told for a reason.
  public init(_ reason: RecipientReason, timeZone: String? = nil, travel: Travel? = nil, variant: String? = nil) {
    (self.reason, self.timeZone, self.travel, self.variant) = (reason, timeZone, travel, variant)
  }
}
