/// Why a person may be notified of an event; only the strongest reason counts.
package enum RecipientReason: String, Sendable, CaseIterable, Comparable {
  /// They voted on it.
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

  package static func < (left: RecipientReason, right: RecipientReason) -> Bool { left.strength < right.strength }

  /// A number that grows with the strength.
  package var strength: Int { 1 + (Self.allCases.firstIndex(of: self) ?? 0) }
}

/// The facts about a recipient that a notice's words depend on.
package struct Recipient: Sendable, Hashable {
  /// Why they are notified.
  package let reason: RecipientReason
  /// Their time zone, an IANA name; `nil` means UTC.
  package let timeZone: String?
  /// The language that they read.
  package let language: Language
  /// Their travel time to the event; `nil` if it is unknown or does not matter.
  package let travel: Travel?
  /// The notice's variant for them; `nil` without an experiment.
  package let variant: String?

  package init(
    _ reason: RecipientReason, timeZone: String? = nil, language: Language = .english, travel: Travel? = nil,
    variant: String? = nil
  ) {
    (self.reason, self.timeZone, self.language) = (reason, timeZone, language)
    (self.travel, self.variant) = (travel, variant)
  }

  /// The words in their language.
  package var words: Words { .of(language) }
}
