/// A button under a push; the raw value is the `identifier` of its `UNNotificationAction`.
///
/// In the app, `PushAction(rawValue: response.actionIdentifier)` is the button that was pressed.
public enum PushAction: String, Sendable, CaseIterable {
  case voteYes = "VOTE_YES"
  case voteMaybe = "VOTE_MAYBE"
  case voteNo = "VOTE_NO"
  /// Mutes the group for an hour.
  case muteGroup = "MUTE_GROUP"
  case openEvent = "OPEN_EVENT"
  case getDirections = "GET_DIRECTIONS"
  /// Asks for the same push again in 5 minutes.
  case snooze = "SNOOZE"
  case viewConflict = "VIEW_CONFLICT"
  case messageFriend = "MESSAGE_FRIEND"
  case acceptFriend = "FRIEND_ACCEPT"
  case viewProfile = "VIEW_PROFILE"
  case declineFriend = "FRIEND_DECLINE"
  case viewGroup = "VIEW_GROUP"
  case acceptGroup = "GROUP_ACCEPT"
  case declineGroup = "GROUP_DECLINE"
  case addPhoto = "ADD_PHOTO"
  case maybeLater = "MAYBE_LATER"
  case reply = "REPLY_ACTION"
  case markRead = "MARK_READ_ACTION"
  case helpful = "HELPFUL_ACTION"
  case notHelpful = "NOT_HELPFUL_ACTION"

  /// The button's text, in English.
  public var title: String {
    switch self {
    case .voteYes: "Yes"
    case .voteMaybe: "Maybe"
    case .voteNo: "No"
    case .muteGroup: "Mute Group 1 Hour"
    case .openEvent: "Open"
    case .getDirections: "Get Directions"
    case .snooze: "Snooze 5 min"
    case .viewConflict: "View Conflict"
    case .messageFriend: "Message"
    case .acceptFriend, .acceptGroup: "Accept"
    case .declineFriend, .declineGroup: "Decline"
    case .viewProfile: "View Profile"
    case .viewGroup: "View Group"
    case .addPhoto: "Add Photo"
    case .maybeLater: "Maybe Later"
    case .reply: "Reply"
    case .markRead: "Mark Read"
    case .helpful: "👍 Helpful"
    case .notHelpful: "👎 Not Helpful"
    }
  }

  /// The button's text in a language, else in English.
  ///
  /// APNs cannot carry it: the app registers it at each start.
  /// - Parameter language: a BCP 47 tag or the identifier of a locale, such as `Locale.preferredLanguages[0]`.
  public func title(in language: String) -> String { ActionTitles.of(language)?.titles[self] ?? title }

  /// The text field in a language, else in English.
  /// - Parameter language: as of ``title(in:)``.
  public func textInput(in language: String) -> TextInput? {
    textInput.map { ActionTitles.of(language)?.input ?? $0 }
  }

  /// Whether the app comes to the foreground: `UNNotificationActionOptions.foreground`.
  public var opensApp: Bool {
    switch self {
    case .snooze, .muteGroup, .maybeLater, .reply, .markRead, .helpful, .notHelpful: false
    default: true
    }
  }

  /// Whether the button is shown as destructive: `UNNotificationActionOptions.destructive`.
  public var isDestructive: Bool { self == .markRead }

  /// The text field of a `UNTextInputNotificationAction`; `nil` for other buttons.
  public var textInput: TextInput? {
    self == .reply ? TextInput(buttonTitle: "Send", placeholder: "Type a message...") : nil
  }

  /// The field of a button that asks for a text.
  public struct TextInput: Sendable, Hashable {
    /// The text of the button that sends the input.
    public let buttonTitle: String
    /// The text in the empty field.
    public let placeholder: String
  }
}
