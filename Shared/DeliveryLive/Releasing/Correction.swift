import FoundationEssentials
import Notifications
import Postgres
import StoreLive

/// Corrects entries of the inbox that tell of acts that were taken back, or of rows that are gone.
///
/// An entry without any act that counts leaves the inbox, and the badge falls; so does one that its person may no longer
/// see. Another one gets its present words. The phone is told with the next push of the subject.
struct Correction {
  private static let mostEntries = 1_000

  private let connection: Connection
  private let deadline: ContinuousClock.Instant
  /// The most entries in a transaction; fewer after one that took too long.
  private var most = mostEntries
  /// Up to where the marks of entries were taken.
  private var last: Int64 = 0
  /// Whether it had to leave somebody's to the next run, because others were at work on them or its time was over.
  private(set) var isIncomplete = false

  /// - Parameter deadline: what has failed by then is not tried again in parts.
  init(_ connection: Connection, until deadline: ContinuousClock.Instant) {
    (self.connection, self.deadline) = (connection, deadline)
  }

  /// Corrects the next ones that wait for it.
  /// - Parameter person: who is released apart, and locked until that ends: theirs are left to the next run.
  /// - Returns: how many there were; 0 at the end.
  mutating func correctNext(at now: Date, except person: ReleaseRun.Person? = nil) async throws -> Int {
    let (first, number) = (last, most)
    let rows = try await connection.query(.staleEntries(after: first, limit: number))
    last = try rows.last?.decode("id") ?? last
    for (name, rows) in Dictionary(grouping: rows, by: { $0["app"] ?? "" }) {
      guard let app = App(rawValue: name) else { continue }
      let all: [(id: Int64, user: UUID)] = try rows.map { (id: try $0.decode("id"), user: try $0.decode("user_id")) }
      let marks = all.filter { ReleaseRun.Person(user: $0.user, app: app) != person }
      if marks.count < all.count { isIncomplete = true }
      if !marks.isEmpty { try await correct(marks, of: app, at: now) }
    }
    if most < number { last = first } else { most = min(most * 2, Self.mostEntries) }
    return rows.count
  }

  /// Corrects entries by their marks; one whose correction fails alone stays as it is.
  private mutating func correct(_ marks: [(id: Int64, user: UUID)], of app: App, at now: Date) async throws {
    do {
      try await connection.transaction { transaction in try await Self.correct(marks, of: app, at: now, transaction) }
    } catch  where error.isOfRows {
      guard marks.count > 1 else {
        if (error as? PostgresError)?.gaveWay == true { return isIncomplete = true }
        _ = try await connection.query("DELETE FROM stale_entries WHERE id = ANY (\(marks.map(\.id)))")
        return
      }
      guard ContinuousClock.now < deadline else { return isIncomplete = true }
      // Others have their turn before the next try, which is a smaller one.
      if error.tookTooLong { return most = max(1, marks.count / 10) }
      try await correct(Array(marks.prefix(marks.count / 2)), of: app, at: now)
      try await correct(Array(marks.dropFirst(marks.count / 2)), of: app, at: now)
    }
  }

  // The marks go first. An act that is taken back from now on makes another mark.
  private static func correct(
    _ marks: [(id: Int64, user: UUID)], of app: App, at now: Date, _ transaction: Transaction
  ) async throws {
    let people = Array(Set(marks.map(\.user)))
    let taken = try await transaction.pipeline([
      GivingWay.inTransaction, .lockState(of: people, in: app),
      "DELETE FROM stale_entries WHERE id = ANY (\(marks.map(\.id))) RETURNING notification_id",
    ])
    let entries = Set(try taken[2].decode("notification_id", as: UUID.self))
    guard !entries.isEmpty else { return }
    let unread: SQL = .unread(Array(entries), of: app)
    let rows = try await transaction.pipeline([
      .waiting(unread, in: app, at: now), .states(.subjects(of: unread), in: app), .newer(than: unread),
    ])
    var newer: [UUID: UUID] = [:]
    for row in rows[2] { newer[try row.decode("id")] = try row.decode("newer") }
    let phones = try Phone.phones(states: rows[1])
    var zones = Zones()
    let found = try rows[0].map { try Waiting($0, of: app, at: now, &zones) }.compactMap(\.self)
    let current = try await CurrentFacts(of: found, at: now, transaction)
    let all = found.map { $0.orGone(current) }
    let open = all.filter { $0.candidate.eligibility == .open }
    // What waits to say what the person was told last need not wait.
    var told: [UUID: UUID] = [:]
    for part in open where part.isHeld { told[part.id] = phones[part.candidate.user]?.told(part) }
    // Otherwise only the last one that tells a state stays. What waits is merged into it.
    var successors: [UUID: UUID] = [:]
    for part in open where part.kind.tellsState && told[part.id] == nil {
      guard let newer = newer[part.id], told[newer] != part.id else { continue }
      successors[part.id] = told[newer] ?? newer
    }
    let parts = all.filter { told[$0.id] == nil && successors[$0.id] == nil }
    let held = Set(all.filter(\.isHeld).map(\.id))
    let pairs = successors.filter { held.contains($0.key) }.map { (old: $0.key, new: $0.value) }
    let superseded = successors.keys.filter { !held.contains($0) }
    let gone = parts.filter { [.gone, .notPermitted].contains($0.candidate.eligibility) }.map(\.id)
    // An entry whose words are too long for a push keeps those that it has.
    let reworded = parts.filter { $0.candidate.eligibility == .open }
      .compactMap { part in try? part.reworded(with: part.acts) }
    _ = try await transaction.pipeline(
      [
        .takeOver(pairs, at: now), .takeAway(superseded, because: .subjectGone, at: now),
        .takeAway(gone, because: .subjectGone, at: now), .takeAway(Array(told.keys), because: .duplicate, at: now),
        .bringBack(Array(told.values), at: now), .endConflicts(with: Array(entries), at: now),
        .correct(reworded, at: now),
      ].asOwnWrites)
  }
}

extension SQL {
  fileprivate static func staleEntries(after last: Int64, limit: Int) -> SQL {
    "SELECT id, user_id, app FROM stale_entries WHERE id > \(last) ORDER BY id LIMIT \(limit)"
  }

  /// The unread entries among notifications: `notification_id, user_id, waiting_since`.
  fileprivate static func unread(_ notifications: [UUID], of app: App) -> SQL {
    """
    SELECT n.id AS notification_id, n.user_id, NULL::timestamptz AS waiting_since FROM notifications n
    WHERE n.id = ANY (\(notifications)) AND n.app = \(app.rawValue) AND n.merged_into IS NULL
      AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE
    """
  }

  /// The last notification about the subject of each entry that tells a state, if it is a later one: `id, newer`.
  ///
  /// One that repeated a state has left the inbox without a push: it takes nobody's place.
  fileprivate static func newer(than entries: SQL) -> SQL {
    """
    SELECT e.id, l.id AS newer FROM (\(entries)) w JOIN notifications e ON e.id = w.notification_id
    CROSS JOIN LATERAL (
      SELECT n.id, n.created_at FROM notifications n
      WHERE n.user_id = e.user_id AND n.app = e.app AND n.type = e.type AND n.subject_id = e.subject_id
        AND (n.family IN ('statuses', 'leads') OR n.proposal_id = e.proposal_id)
        AND (n.is_archived IS NOT TRUE OR n.merged_into IS NOT NULL OR n.pushed_at IS NOT NULL)
      ORDER BY n.created_at DESC, n.id DESC LIMIT 1
    ) l
    WHERE (l.created_at, l.id) > (e.created_at, e.id) AND NOT EXISTS (
      SELECT FROM notifications m WHERE m.merged_into = e.id AND m.subject_id IS DISTINCT FROM e.subject_id)
    """
  }

  /// Merges what waits into what tells a later state, which waits no longer than the two of them together.
  fileprivate static func takeOver(_ pairs: [(old: UUID, new: UUID)], at now: Date) -> SQL {
    let rows: SQL = .rows("i", ["old": "\(pairs.map(\.old))", "new": "\(pairs.map(\.new))"])
    return """
      WITH pairs AS MATERIALIZED (
        SELECT i.old, i.new, h.reason, h.held_since FROM \(rows) JOIN held_notifications h ON h.notification_id = i.old
      ), released AS (
        DELETE FROM held_notifications h USING pairs p WHERE h.notification_id = p.old
      ), rechecked AS (
        INSERT INTO notification_rechecks (notification_id, decision, created_at)
        SELECT old, 'merge', \(now) FROM pairs ON CONFLICT DO NOTHING
      ), patient AS (
        UPDATE held_notifications h SET held_since = least(h.held_since, p.held_since)
        FROM (SELECT new, reason, min(held_since) AS held_since FROM pairs GROUP BY new, reason) p
        WHERE h.notification_id = p.new AND h.reason = p.reason
      )
      UPDATE notifications n SET merged_into = p.new, is_archived = true, counts_for_badge = false, updated_at = \(now)
      FROM pairs p WHERE n.id = p.old
      """
  }

  /// Takes entries out of the inbox, the queue and the badge.
  ///
  /// A sender finishes a delivery that it has leased. A push that has certainly reached no device counts as none: nobody
  /// was told. One whose answer was lost may have reached its device; an app's own log may not know that status.
  fileprivate static func takeAway(_ entries: [UUID], because reason: Suppression, at now: Date) -> SQL {
    """
    WITH pushes AS MATERIALIZED (
      SELECT d.id, d.notification_id, d.state, \(isFree) AS is_free, d.expires_at,
        d.unsettled > 0 OR d.attempts > 0 AND EXISTS (
          SELECT FROM push_notification_logs l
          WHERE l.user_id = d.user_id AND l.delivery_id = d.id
            AND (l.status = 'unknown' OR l.status = 'failed' AND l.http_status IS NULL AND NOT push_owns_log())
            AND l.created_at > d.created_at - interval '1 minute') AS is_in_doubt
      FROM deliveries d
      WHERE d.notification_id = ANY (\(entries)) FOR NO KEY UPDATE
    ), unsent AS (
      SELECT notification_id AS id FROM pushes GROUP BY notification_id
      HAVING bool_or(state = 'queued')
        AND bool_and((state IN ('rejected', 'expired') OR state = 'queued' AND is_free) AND NOT is_in_doubt)
    ), gone AS (
      UPDATE notifications n
      SET is_archived = true, is_gone = true, updated_at = \(now),
        pushed_at = CASE WHEN u.id IS NULL THEN n.pushed_at END,
        phone_text = CASE WHEN u.id IS NULL THEN \(textOnPhone) END
      FROM unnest(\(entries)) AS e (id) LEFT JOIN unsent u ON u.id = e.id
      WHERE n.id = e.id
      RETURNING n.id, n.user_id, n.app, n.counts_for_badge
    ), ended AS (
      UPDATE deliveries d
      SET state = CASE WHEN p.is_free THEN 'expired' ELSE d.state END,
        reason = CASE WHEN p.is_free THEN \(DeliveryEnd.subjectGone.rawValue) ELSE d.reason END,
        expires_at = CASE WHEN p.is_free THEN d.expires_at ELSE \(now) END, updated_at = \(now)
      FROM pushes p WHERE p.state = 'queued' AND d.id = p.id AND (p.is_free OR d.expires_at > \(now))
    ), released AS (
      DELETE FROM held_notifications h USING gone WHERE h.notification_id = gone.id RETURNING h.notification_id
    ), rechecked AS (
      INSERT INTO notification_rechecks (notification_id, decision, reason, created_at)
      SELECT notification_id, 'suppress', \(reason.rawValue), \(now) FROM released
      ON CONFLICT DO NOTHING
    )
    INSERT INTO badge_losses (user_id, app) SELECT DISTINCT user_id, app FROM gone WHERE counts_for_badge
    """
  }

  /// Notes which conflicts are over, those that a person has read as well: the same one may come again.
  fileprivate static func endConflicts(with entries: [UUID], at now: Date) -> SQL {
    """
    UPDATE notifications n SET is_gone = true, updated_at = \(now) FROM notifications e
    WHERE e.id = ANY (\(entries)) AND e.family = 'conflicts' AND n.user_id = e.user_id AND n.proposal_id = e.proposal_id
      AND n.family = 'conflicts' AND NOT n.is_gone AND NOT (SELECT counts FROM push_counts(n))
    """
  }

  /// Gives entries their present words, and keeps those that the phone shows.
  fileprivate static func correct(_ reworded: [Reworded], at now: Date) -> SQL {
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(reworded.map(\.notification))", "title": "\(reworded.map(\.text.title))",
        "body": "\(reworded.map(\.text.body))", "data": "\(reworded.map(\.data))",
      ])
    return """
      UPDATE notifications n
      SET title = i.title, body = i.body, data = coalesce(n.data, '{}') || i.data::jsonb,
        phone_text = \(textOnPhone), updated_at = \(now)
      FROM \(rows) WHERE n.id = i.id AND (n.title, n.body) IS DISTINCT FROM (i.title, i.body)
      """
  }
}
