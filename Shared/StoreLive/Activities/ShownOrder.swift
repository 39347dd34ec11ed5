package import FoundationEssentials
package import Notifications
package import Postgres
package import PushPayload

/// An order of Repair Minder as a Live Activity shows it.
///
/// Its tables are not here. What the rows of its notifications say of an order is in `activity_facts`; the newest status
/// counts.
package struct ShownOrder: ActivitySubject {
  package let attributes: OrderActivityAttributes
  package let state: OrderActivityAttributes.ContentState
  package var people: Int? { nil }
  package static let app = App.repairMinder

  /// The statuses with which an activity ends.
  private static let last = Set(
    OrderActivityAttributes.done + ["ready", OrderActivityAttributes.cancelled, "canceled"])

  /// Statuses are few, and each is news.
  package func updatePriority(at now: Date) -> Int { 10 }

  package static func all(
    _ ids: [UUID], at now: Date, _ transaction: Transaction
  ) async throws -> [UUID: ShownOrder] {
    guard !ids.isEmpty else { return [:] }
    var shown: [UUID: ShownOrder] = [:]
    for row in try await transaction.query(.orders("(SELECT unnest(\(ids)::uuid[]) AS id)")) {
      let id: UUID = try row.decode("id")
      shown[id] = try ShownOrder(id, row, at: now)
    }
    return shown
  }

  private init(_ id: UUID, _ row: Row, at now: Date) throws {
    attributes = OrderActivityAttributes(order: id, number: row["order_number"], device: row["device"])
    let changedAt: Date = try row.decode("changed_at")
    let closesAt = changedAt.addingTimeInterval(ActivityRule.longest)
    let status = row["status"]?.lowercased() ?? "new"
    state = OrderActivityAttributes.ContentState(
      status: status, isDone: Self.last.contains(status) || closesAt <= now, changedAt: changedAt,
      closesAt: closesAt)
  }

  package static func subject(of notification: SQL) -> SQL { "push_uuid(\(notification).subject_id)" }

  package static func isAbout(_ subject: UUID) -> SQL {
    """
    n.id IN (
      SELECT f.notification_id FROM activity_facts f
      WHERE f.subject_id = \(subject)::uuid::text AND f.app = \(app.rawValue))
    """
  }

  package static func openUntil(_ subject: SQL) -> SQL {
    """
    (
      SELECT o.changed_at + make_interval(secs => \(ActivityRule.longest))
      FROM (\(.orders("(SELECT (\(subject))::uuid AS id)"))) o
      WHERE lower(coalesce(o.status, '')) <> ALL (\(Array(last))))
    """
  }

  /// A person who was told of it may see it.
  package static func seen(_ subject: SQL, by person: SQL) -> SQL {
    """
    SELECT \(person) AS user_id, NULL::uuid AS scope_id, NULL::uuid AS proposal_id WHERE EXISTS (
      SELECT FROM activity_facts f JOIN notifications o ON o.id = f.notification_id
      WHERE f.subject_id = \(subject) AND f.app = \(app.rawValue) AND o.user_id = \(person))
    """
  }
}

extension SQL {
  /// `id, status, order_number, device, changed_at`: the newest of each, and since when the status is so.
  ///
  /// Several rows say the same, one for each person. A row that names no status changes none; its time counts only for an
  /// order without any.
  /// - Parameter ids: rows `id`.
  fileprivate static func orders(_ ids: SQL) -> SQL {
    func facts(_ row: SQL) -> SQL {
      "activity_facts \(row) WHERE \(row).subject_id = i.id::text AND \(row).app = \(App.repairMinder.rawValue)"
    }
    return """
      SELECT i.id, s.status, o.order_number, o.device, coalesce(c.changed_at, o.created_at) AS changed_at
      FROM \(ids) i
      CROSS JOIN LATERAL (
        SELECT min(f.created_at) AS created_at,
          (array_agg(f.facts ->> 'order_number' ORDER BY f.id DESC) FILTER (WHERE f.facts ? 'order_number'))[1]
            AS order_number,
          (array_agg(f.facts ->> 'device' ORDER BY f.id DESC) FILTER (WHERE f.facts ? 'device'))[1] AS device
        FROM \(facts("f"))
      ) o
      LEFT JOIN LATERAL (
        SELECT f.facts ->> 'status' AS status FROM \(facts("f")) AND f.facts ? 'status' ORDER BY f.id DESC LIMIT 1
      ) s ON true
      LEFT JOIN LATERAL (
        SELECT min(f.created_at) AS changed_at FROM \(facts("f")) AND f.facts ->> 'status' = s.status AND f.id > coalesce(
          (SELECT max(e.id) FROM \(facts("e")) AND e.facts ->> 'status' <> s.status), 0)
      ) c ON true
      WHERE o.created_at IS NOT NULL
      """
  }
}
