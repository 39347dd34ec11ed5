/// Why a person was a candidate, in words.
package enum RoleWords {
  /// Text to follow a name, such as `, a submitter`.
  /// - Parameter reason: a ``RecipientReason``'s raw value, or an older one.
  package static func of(_ reason: String) -> String {
    switch reason {
    case "addressee": ", whom it concerns"
    case "attendee", "organizer": ", an \(reason)"
    default: ", a \(reason)"
    }
  }
}

extension Hold.Reason {
  /// The reason in plain words.
  package var words: String {
    switch self {
    case .batched: "to be told with others like it"
    case .quietHours: "quiet hours"
    case .muted: "they muted it for a while"
    case .rateLimited: "as many pushes an hour as they want"
    case .snoozed: "they snoozed it"
    }
  }
}

extension Suppression {
  /// The reason in plain words.
  /// - Parameter app: whose people it is about; `nil` where that is unknown.
  package func words(in app: App?) -> String {
    switch self {
    case .actor: "it was their own act"
    case .disabled: "they switched all notifications off"
    case .projectMuted: "they muted the \(app?.profile.groups?.name ?? "project or group")"
    case .typeDisabled: "this kind is switched off for them"
    case .alreadyHandled: "they had read or done it, or it was over"
    case .subjectGone: "what it was about is gone"
    case .notPermitted: "they are no longer a member"
    case .duplicate: "they were told the same before"
    case .viewing: "they were looking at it"
    case .noDevice: "no active device; it is in the inbox"
    case .quietHours: "quiet hours or a mute; it is in the inbox"
    case .rateLimited: "too many pushes for too long; it is in the inbox"
    case .expired: "it came too late; it is in the inbox"
    case .unencodable: "too large for a push; it is in the inbox"
    }
  }
}
