package import FoundationEssentials
package import FunctionKit
import Notifications
package import Postgres
import StoreLive

/// The question of a function that got something unread, before it tells the person.
///
/// Hours may have passed since it got it: it was paused, or the way by which it tells was closed.
package struct UnreadRecheck: Sendable {
  /// The age from which something is not told any more: nobody wants to hear of a day's news at once.
  private static let longestDelay: TimeInterval = 86_400

  /// Whether a person is told of something now.
  package enum Answer: Sendable, Equatable {
    /// They are, at this address; `nil` if they have no verified one.
    case tell(email: String?)
    /// They are, but a mail server said that this address of theirs has no mailbox.
    case noMailbox(email: String)
    /// Not before a time: quiet hours, a mute or a snooze end then.
    case wait(until: Date)
    /// Never: `read`, or the reason of a gate.
    case end(reason: String)

    fileprivate static func end(_ reason: Suppression) -> Answer { .end(reason: reason.rawValue) }
  }

  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// In the database that the environment names; it connects at the first use.
  package static func live(_ environment: Environment, name: String) throws(FunctionError) -> UnreadRecheck {
    UnreadRecheck(try Connection(environment, name: name, givesWay: true, parameters: [("enable_seqscan", "off")]))
  }

  /// Whether the person is told now of what a function got.
  ///
  /// The gates of `unread-check` are asked again, on what is true now.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func answer(on notification: UUID, at now: Date) async throws -> Answer {
    do {
      return try await connection.transaction(readOnly: true) { transaction in
        guard let row = try await transaction.query(.given(notification)).first, try row.decode("is_unread") else {
          return .end(reason: "read")
        }
        let notified: Date = try row.decode("notified_at")
        let end = min(
          try row.optional("expires_at") ?? .distantFuture, notified.addingTimeInterval(Self.longestDelay))
        guard now <= end else { return .end(.expired) }
        if let held: Date = try row.optional("held_until") { return .wait(until: held) }
        guard let part = try await Self.part(notification, App(rawValue: row["app"] ?? ""), at: now, transaction) else {
          return .end(.unencodable)
        }
        let judgement = Recheck(at: now).judge(
          part, asking: Gate.switches + [.eligibility, .quietHours], until: min(part.inboxExpiry ?? end, end))
        switch judgement.decision {
        case .suppress(let reason): return .end(reason)
        case .hold(let hold): return .wait(until: hold.until)
        case .notify:
          if let gone = row["gone_email"] { return .noMailbox(email: gone) }
          return .tell(email: row["email"])
        }
      }
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
  }

  /// Remembers that an address has no mailbox, for as long as it is the person's.
  /// - Parameter notification: what was to go there.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func noteNoMailbox(_ address: String, for notification: UUID, at now: Date) async throws(FunctionError) {
    do {
      _ = try await GivingWay.repeating { () throws(PostgresError) in
        try await connection.query(.noteNoMailbox(address, for: notification, at: now))
      }
    } catch {
      throw FunctionError(database: error)
    }
  }

  /// The notification with what is true now; `nil` if this version does not know its app or kind.
  private static func part(
    _ notification: UUID, _ app: App?, at now: Date, _ transaction: Transaction
  ) async throws -> Waiting? {
    guard let app else { return nil }
    let found = try await transaction.query(.waiting(.unread([notification]), in: app, at: now))
    var zones = Zones()
    let parts = try found.compactMap { try Waiting($0, of: app, at: now, &zones) }
    return parts.first?.orGone(try await CurrentFacts(of: parts, at: now, transaction))
  }
}

extension SQL {
  /// The facts that a function got: `app, notified_at, expires_at, held_until, email, gone_email, is_unread`; `email`
  /// is the present one, if it is verified, and `gone_email` the same if it has no mailbox.
  fileprivate static func given(_ notification: UUID) -> SQL {
    """
    SELECT n.app, g.notified_at, n.expires_at, h.held_until, CASE WHEN push_is_verified(to_jsonb(u)) THEN u.email END
      AS email,
      CASE WHEN s.gone_email = u.email AND push_is_verified(to_jsonb(u)) THEN u.email END AS gone_email,
      EXISTS (\(stillUnread(notification))) AS is_unread
    FROM unread_notifications g JOIN notifications n ON n.id = g.notification_id JOIN users u ON u.id = n.user_id
    LEFT JOIN held_notifications h ON h.notification_id = n.id
    LEFT JOIN unread_settings s ON s.user_id = n.user_id AND s.app = n.app
    WHERE g.notification_id = \(notification)
    """
  }

  /// Writes that an address has no mailbox, and that a notification could not go there.
  fileprivate static func noteNoMailbox(_ address: String, for notification: UUID, at now: Date) -> SQL {
    """
    WITH noted AS (
      INSERT INTO unread_settings (user_id, app, is_enabled, gone_email, updated_at)
      SELECT u.id, n.app, true, \(address)::text, \(now)::timestamptz
      FROM notifications n JOIN users u ON u.id = n.user_id
      WHERE n.id = \(notification) FOR KEY SHARE OF u
      ON CONFLICT (user_id, app) DO UPDATE SET gone_email = excluded.gone_email, updated_at = excluded.updated_at
    )
    UPDATE unread_checks SET reason = 'no_mailbox' WHERE notification_id = \(notification) AND check_at IS NULL
    """
  }
}
