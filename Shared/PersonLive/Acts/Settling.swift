package import FoundationEssentials
import Notifications
package import Postgres
package import StoreLive

extension Transaction {
  /// Settles, in this transaction, the notifications that asked for an act, and puts the badge on the person's other
  /// devices.
  ///
  /// A repetition changes nothing, except that the badge may be pushed again.
  /// - Parameter device: the device of the act; `nil` means the device that the app has just reported.
  package func settle(_ act: CompletedAct, on device: UUID? = nil, _ event: EventContext) async throws -> ActResult {
    guard let person = try await person(of: act, at: event.now) else {
      return ActResult(of: event, reason: Suppression.subjectGone.rawValue)
    }
    _ = try await query(.lockState(of: [person.id], in: person.app))
    return try await settle(act, by: person, on: device, event)
  }

  /// Settles an act of a person whose row is locked.
  func settle(
    _ act: CompletedAct, by person: ActingPerson, on device: UUID? = nil, _ event: EventContext
  ) async throws -> ActResult {
    var result = ActResult(of: event)
    let settled = try await pipeline([.settle(act, at: event.now)].asOwnWrites)[1]
    let reported = try result.read(try settled.only())
    guard result.movesBadge(of: person) else { return result }
    let push = SQL.pushBadges(to: [person.id], in: person.app, except: device ?? reported, event)
    result.badgePushes = try await pipeline(push)[1].affectedRows
    return result
  }

  /// Counts what an act settles.
  func rehearse(_ act: CompletedAct, _ event: EventContext) async throws -> ActResult {
    guard let person = try await person(of: act, at: event.now) else {
      return ActResult(of: event, reason: Suppression.subjectGone.rawValue)
    }
    var result = ActResult(of: event)
    let reported = try result.read(try await query(.countSettled(by: act, at: event.now)).only())
    if result.movesBadge(of: person) {
      let devices = SQL.badgeDevices(of: [person.id], in: person.app, except: reported, at: event.now)
      result.badgePushes = try await query(devices).count
    }
    return result
  }

  /// The person who did it; `nil` if its object is gone, or belongs to an app that this version does not know.
  func person(of act: CompletedAct, at now: Date) async throws -> ActingPerson? {
    try ActingPerson(try await query(act.facts(at: now)))
  }
}

/// A person who did something.
struct ActingPerson {
  let id: UUID
  let app: App
  /// Whether the act changes their badge.
  let badgeHasChanged: Bool

  /// - Parameter facts: what ``CompletedAct/facts(at:)`` found.
  init?(_ facts: Rows) throws {
    guard let row = facts.first, let app = App(rawValue: try row.decode("app")) else { return nil }
    (id, self.app, badgeHasChanged) = (try row.decode("user_id"), app, try row.decode("has_changed"))
  }
}

extension ActResult {
  /// Whether devices may need the person's badge: it has changed, or a push that would have carried it has left the queue.
  func movesBadge(of person: ActingPerson) -> Bool { person.badgeHasChanged || withdrawn > 0 }

  /// Reads the counts; returns the device of the act if it is known.
  mutating func read(_ row: Row) throws -> UUID? {
    (handled, withdrawn, held) = (
      try row.decode("handled"), try row.decode("withdrawn"), try row.decode("held")
    )
    return try row.optional("device")
  }
}

extension SQL {
  /// Settles the notifications that an act answers: `handled, withdrawn, held`, and the `device` of the act if it is
  /// known.
  ///
  /// Notifications that asked for the act become read. Held ones that were never shown leave the inbox. A sender
  /// finishes a delivery that it has leased; the delivery is not sent again if it returns to the queue.
  static func settle(_ act: CompletedAct, at now: Date) -> SQL {
    """
    WITH settled AS MATERIALIZED (
      \(act.notifications)
    ), locked AS MATERIALIZED (
      SELECT d.id FROM settled s JOIN deliveries d ON d.notification_id = s.id
      WHERE d.state = 'queued' AND (\(isFree) OR d.expires_at > \(now))
      ORDER BY d.id FOR NO KEY UPDATE OF d
    ), ended AS (
      UPDATE deliveries d
      SET state = CASE WHEN \(isFree) THEN 'expired' ELSE d.state END,
        reason = CASE WHEN \(isFree) THEN \(DeliveryEnd.actionCompleted.rawValue) ELSE d.reason END,
        expires_at = CASE WHEN \(isFree) THEN d.expires_at ELSE \(now) END, updated_at = \(now)
      FROM locked l
      WHERE d.id = l.id AND d.state = 'queued'
      RETURNING d.state
    ), released AS (
      DELETE FROM held_notifications h USING settled s WHERE h.notification_id = s.id RETURNING h.*
    ), rechecked AS (
      INSERT INTO notification_rechecks (notification_id, decision, reason, created_at)
      SELECT notification_id, 'suppress', \(Suppression.alreadyHandled.rawValue), \(now) FROM released
      ON CONFLICT DO NOTHING
    ), handled AS (
      UPDATE notifications n
      SET is_read = true, updated_at = \(now),
        is_archived = n.id IN (SELECT notification_id FROM released WHERE reason <> \(Hold.Reason.snoozed.rawValue))
      FROM settled s WHERE n.id = s.id AND \(isUnread)
      RETURNING n.id
    )
    SELECT (SELECT count(*) FROM handled) AS handled, (SELECT count(*) FROM released) AS held,
      (SELECT count(*) FROM ended WHERE state = 'expired') AS withdrawn, (\(actingDevice(at: now))) AS device
    """
  }

  /// Counts what ``settle(_:at:)`` would settle.
  fileprivate static func countSettled(by act: CompletedAct, at now: Date) -> SQL {
    """
    WITH settled AS MATERIALIZED (
      \(act.notifications)
    )
    SELECT
      (SELECT count(*) FROM settled s JOIN notifications n ON n.id = s.id WHERE \(isUnread)) AS handled,
      (SELECT count(*) FROM settled s JOIN held_notifications h ON h.notification_id = s.id) AS held,
      (SELECT count(*) FROM settled s JOIN deliveries d ON d.notification_id = s.id
       WHERE d.state = 'queued' AND \(isFree)) AS withdrawn,
      (\(actingDevice(at: now))) AS device
    """
  }

  private static let isUnread: SQL = "n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE"

  /// The device that has just reported something about one of the `settled`; an older report does not count.
  private static func actingDevice(at now: Date) -> SQL {
    """
    SELECT i.device_token_id FROM settled s JOIN notification_interactions i ON i.notification_id = s.id
    WHERE i.device_token_id IS NOT NULL AND i.created_at > \(now.addingTimeInterval(-120))
    ORDER BY i.created_at DESC LIMIT 1
    """
  }
}
