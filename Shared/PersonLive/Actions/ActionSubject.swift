import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushPayload
import StoreLive

/// The notification of an action.
struct ActionSubject {
  let app: App
  let proposal: UUID?
  let friendRequest: UUID?
  let group: UUID?
  let conversation: String?
  let message: String?
  /// When it was last sent; if it never was, when it was written.
  let sentAt: Date
  /// When a push of it becomes pointless.
  let pushExpiry: Date
  /// Whether it has a payload to send.
  let hasPayload: Bool
}

extension Transaction {
  /// The action's notification, if it and the device are the person's, and it offers the action.
  func subject(of chosen: ChosenAction, by person: Person) async throws -> ActionSubject {
    guard let row = try await query(.ownNotification(chosen.notification, of: person)).first else {
      throw ActionRefusal.unknownNotification
    }
    let app = App(rawValue: row["app"] ?? "")
    let actions = ActionCategory(of: row, in: app)?.actions ?? []
    guard let app, actions.contains(chosen.action) else { throw ActionRefusal.notOffered(actions) }
    guard try await !query(.find(chosen.interaction)).isEmpty else { throw ActionRefusal.unknownDevice }
    return ActionSubject(
      app: app, proposal: try row.optional("proposal_id"), friendRequest: try row.optional("friend_request_id"),
      group: try row.optional("group_id"), conversation: row["conversation_id"], message: row["message_id"],
      sentAt: try row.optional("sent_at") ?? .distantPast,
      pushExpiry: try row.optional("push_expires_at") ?? .distantFuture, hasPayload: row["payload"] != nil)
  }
}

extension ActionCategory {
  /// The category of its push, or of its kind if nothing was sent.
  fileprivate init?(of row: Row, in app: App?) {
    let payload = row["payload"].flatMap { try? RawJSON(validating: Array($0.utf8)[...]) }
    let kind = app.flatMap { Kind.named(row["type"] ?? "", of: $0) }?.category
    let organizer =
      row["recipient_reason"] == RecipientReason.organizer.rawValue ? Self.conflictOrganizer.rawValue : nil
    guard let name = payload?["aps"]?["category"]?.stringValue ?? kind.map({ organizer ?? $0 }) else { return nil }
    self.init(rawValue: name)
  }
}

extension SQL {
  /// A person's notification with its subjects; rows that an app inserted itself have them in `data`.
  static func ownNotification(_ id: UUID, of person: Person) -> SQL {
    """
    SELECT n.app, n.type, n.payload, n.recipient_reason, n.push_expires_at,
      coalesce(n.pushed_at, n.created_at) AS sent_at,
      coalesce(n.proposal_id, push_uuid(n.data ->> 'proposal_id')) AS proposal_id,
      coalesce(n.friend_request_id, push_uuid(n.data ->> 'friend_request_id')) AS friend_request_id,
      coalesce(push_uuid(n.subject_id), push_uuid(n.data ->> 'group_id')) AS group_id,
      n.data ->> 'conversationId' AS conversation_id, n.data ->> 'messageId' AS message_id
    FROM notifications n
    WHERE n.id = \(id) AND n.user_id = \(person.id) AND NOT \(isBadgePush())
      AND n.push_type NOT IN ('background', 'liveactivity')
    """
  }

  /// The recorded act: the one of the same time, or the last one on the notification if the app sent no time.
  static func recorded(_ chosen: ChosenAction) -> SQL {
    """
    SELECT a.snoozed_until, EXISTS (
        SELECT FROM held_notifications h
        WHERE h.notification_id = a.notification_id AND h.reason = \(Hold.Reason.snoozed.rawValue)) AS is_snoozed
    FROM notification_actions a
    WHERE a.notification_id = \(chosen.notification) AND a.action = \(chosen.action.rawValue)
      AND a.text IS NOT DISTINCT FROM \(chosen.text as String?)
      AND CASE
        WHEN \(chosen.time != nil) THEN a.reported_at = \(chosen.time as Date?)
        ELSE NOT EXISTS (
          SELECT FROM notification_actions b WHERE b.notification_id = a.notification_id AND b.id > a.id)
      END
    """
  }

  static func insert(
    _ chosen: ChosenAction, on subject: ActionSubject, by person: Person, snoozedUntil: Date?, at now: Date
  ) -> SQL {
    """
    INSERT INTO notification_actions (
      notification_id, user_id, app, action, text, conversation_id, message_id, snoozed_until, reported_at, created_at)
    VALUES (\(chosen.notification), \(person.id), \(subject.app.rawValue), \(chosen.action.rawValue),
      \(chosen.text as String?), \(subject.conversation as String?), \(subject.message as String?),
      \(snoozedUntil as Date?), \(chosen.time as Date?), \(now))
    """
  }
}
