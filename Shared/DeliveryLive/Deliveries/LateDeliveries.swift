import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension DeliveryBatch {
  /// The seconds that a delivery may wait in the queue before the gates are asked again.
  static let lateAfter: TimeInterval = 60

  /// The batch in its current words, without deliveries that the gates stop now.
  ///
  /// A late delivery may have waited for its provider, its device or the sender. Meanwhile quiet hours may have begun,
  /// the person may have acted, or many pushes may be due. So the gates are asked again, and a push counts for its
  /// person's hourly limit from the time when it goes out.
  /// - Parameter late: the deliveries that were not sent soon after their decision.
  func withoutUntimely(_ late: [UUID], _ connection: Connection, at now: Date) async throws -> DeliveryBatch {
    guard !late.isEmpty else { return self }
    let late = Set(late)
    var batch = self
    for app in App.allCases {
      let waiting = batch.pushes.filter { $0.device.app == app.rawValue && late.contains($0.id) }.map(\.id)
      guard !waiting.isEmpty else { continue }
      let (untimely, payloads) = try await GivingWay.repeating {
        try await connection.transaction { transaction in try await putOff(waiting, of: app, at: now, transaction) }
      }
      batch.pushes.removeAll { untimely.contains($0.id) }
      for index in batch.pushes.indices {
        batch.pushes[index].payload = payloads[batch.pushes[index].id] ?? batch.pushes[index].payload
      }
      batch.held += untimely.count
      if !untimely.isEmpty { try await batch.renewBadges(of: app, connection, at: now) }
    }
    return batch
  }

  /// The badge may no longer count a notification that was given up.
  private mutating func renewBadges(of app: App, _ connection: Connection, at now: Date) async throws {
    let shown = pushes.filter { $0.device.app == app.rawValue && $0.badge != nil }.map(\.id)
    let rows = try await connection.query(
      """
      UPDATE deliveries d SET badge = b.badge
      FROM deliveries o CROSS JOIN LATERAL push_badges(o.user_id, o.app, \(now)) b
      WHERE o.id = ANY (\(shown)) AND d.id = o.id AND d.lease_id = \(lease) AND d.badge IS DISTINCT FROM b.badge
      RETURNING d.id, b.badge
      """)
    var badges: [UUID: Int] = [:]
    for row in rows { badges[try row.decode("id")] = try row.decode("badge", as: Int.self) }
    for index in pushes.indices { pushes[index].badge = badges[pushes[index].id] ?? pushes[index].badge }
  }

  /// Returns the deliveries that are not sent, and the payloads of the others whose words have changed.
  private func putOff(
    _ late: [UUID], of app: App, at now: Date, _ transaction: Transaction
  ) async throws -> (untimely: Set<UUID>, payloads: [UUID: String]) {
    let people: [UUID] = try await transaction.query(
      "SELECT DISTINCT user_id FROM deliveries WHERE id = ANY (\(late)) AND lease_id = \(lease)"
    ).decode("user_id")
    _ = try await transaction.query(.lockState(of: people, in: app))
    let rows = try await transaction.pipeline([
      .waiting(.notifications(of: late, lease), in: app, at: now),
      .recentPushes(of: people, in: app, at: now, without: .notifications(of: late, lease)),
      .currentActs(of: late, lease),
    ])
    var zones = Zones()
    let found = try rows[0].compactMap { try Waiting($0, of: app, at: now, &zones) }
    let summaries = found.filter(\.isSummary).map(\.id)
    let told: [Waiting] =
      summaries.isEmpty
      ? []
      : try await transaction.query(.waiting(.parts(ofSummaries: summaries), in: app, at: now))
        .compactMap { try Waiting($0, of: app, at: now, &zones) }
    let current = try await CurrentFacts(of: found + told, at: now, transaction)
    var verdicts = LateVerdicts(after: try Recheck.of(rows[1], at: now), told: told, at: now)
    for row in rows[2] { verdicts.acts[try row.decode("id")] = try [Act](row) }
    verdicts.judgeTold(by: current)
    for part in found { verdicts.judge(part.orGone(current)) }
    return try await write(verdicts, on: late, at: now, transaction)
  }

  /// Returns the deliveries that are not sent, and the payloads of the others whose words have changed.
  private func write(
    _ verdicts: LateVerdicts, on late: [UUID], at now: Date, _ transaction: Transaction
  ) async throws -> (untimely: Set<UUID>, payloads: [UUID: String]) {
    let stopped = verdicts.all.filter { $0.decision != .notify }
    let changed = try await transaction.pipeline([
      .putOff(late, lease, stopped, verdicts.renewed, at: now),
      .record(
        stopped.map { ($0.notification, $0.decision.word, $0.decision.obstacle) }, facts: verdicts.facts, at: now),
      .leave(stopped, at: now), .push(verdicts.all.filter { $0.decision == .notify }.map(\.notification), at: now),
      .reword(verdicts.reworded, in: late, at: now), .renew(verdicts.renewed),
    ])
    let payloads: [UUID: String] = try changed[4].reduce(into: [:]) { payloads, row in
      payloads[try row.decode("id")] = row["payload"]
    }
    return (Set(try changed[0].decode("id", as: UUID.self)), payloads)
  }
}

/// The verdicts on the notifications of late deliveries; each push counts for the next one to its person.
private struct LateVerdicts {
  /// The acts that each notification counts now.
  var acts: [UUID: [Act]] = [:]
  private(set) var all: [(notification: UUID, decision: Decision)] = []
  /// The words of the notifications that go out with others than before.
  private(set) var reworded: [Reworded] = []
  /// The notifications that a mute holds, with the new ends of their pushes.
  private(set) var renewed: [(notification: UUID, expiry: Date)] = []
  private var rechecks: [UUID: Recheck]
  /// The notifications of which the summaries tell.
  private let told: [Waiting]
  /// The words of each summary's parts that it still tells of.
  private var parts: [UUID: [Reworded]] = [:]
  /// The proposals about which each person is asked.
  private var asked: [UUID: Set<UUID>] = [:]
  private let now: Date

  init(after rechecks: [UUID: Recheck], told: [Waiting], at now: Date) {
    (self.rechecks, self.told, self.now) = (rechecks, told, now)
  }

  /// The facts by which the gates decided, by notifications.
  var facts: [UUID: String] { rechecks.values.reduce(into: [:]) { $0.merge($1.facts) { $1 } } }

  /// Decides what the summaries still tell of, before they are judged themselves.
  mutating func judgeTold(by current: CurrentFacts) {
    for part in told.map({ $0.orGone(current) }) {
      let words = try? part.said(with: part.acts)
      let judgement = Recheck(at: now).judgeInSummary(part, canBeSaid: words != nil)
      if judgement.decision == .notify, let words, let summary = part.summaryID {
        parts[summary, default: []].append(words)
      } else {
        note(judgement, on: part)
      }
    }
  }

  /// Decides about one notification after the others.
  mutating func judge(_ waiting: Waiting) {
    var part = waiting
    if part.isSummary, parts[part.id] == nil { part.candidate.eligibility = .handled }
    // A request to vote says when voting closes, so no reminder goes out with it.
    let isAsked = part.proposal.map { asked[part.candidate.user]?.contains($0) == true } ?? false
    if isAsked, part.kind.name == DeadlineReminder.kind.name { part.candidate.eligibility = .handled }
    let judgement = rechecks[part.candidate.user, default: Recheck(at: now)].judge(part)
    if judgement.decision == .notify { push(part) }
    if case .hold(let hold) = judgement.decision, hold.reason == .muted {
      renewed += ([part] + told.filter { $0.summaryID == part.id }).map { ($0.id, $0.expiry(sentAt: hold.until)) }
    }
    note(judgement, on: part)
  }

  private mutating func push(_ part: Waiting) {
    let person = part.candidate.user
    rechecks[person, default: Recheck(at: now)].push()
    if part.kind.name == NewProposal.kind.name, let proposal = part.proposal {
      asked[person, default: []].insert(proposal)
    }
    // A push that would be too large goes out with its old words.
    if let parts = parts[part.id], let words = try? part.summary(of: parts) {
      reworded += parts + [words]
    } else if let words = try? part.reworded(with: acts[part.id] ?? []) {
      reworded.append(words)
    }
  }

  private mutating func note(_ judgement: Recheck.Judgement, on part: Waiting) {
    all.append((part.id, judgement.decision))
    rechecks[part.candidate.user, default: Recheck(at: now)].record(judgement)
  }
}

extension [UUID] {
  /// The deliveries in a claim's answer that are late.
  static func late(in rows: Rows) throws(PostgresError) -> [UUID] {
    var late: [UUID] = []
    for row in rows where try row.optional("is_late") == true { late.append(try row.decode("id")) }
    return late
  }
}

extension SQL {
  fileprivate static func notifications(of deliveries: [UUID], _ lease: UUID) -> SQL {
    """
    SELECT DISTINCT d.notification_id, d.user_id, (
      SELECT min(r.created_at) FROM notification_rechecks r
      WHERE r.notification_id = d.notification_id AND r.decision = 'hold'
        AND r.reason = \(Hold.Reason.rateLimited.rawValue)) AS waiting_since
    FROM deliveries d
    WHERE d.id = ANY (\(deliveries)) AND d.lease_id = \(lease)
    """
  }

  fileprivate static func recentPushes(
    of people: [UUID], in app: App, at now: Date, without notifications: SQL
  ) -> SQL {
    recentPushes(of: people, in: app, at: now) + " AND id NOT IN (SELECT notification_id FROM (\(notifications)) w)"
  }

  /// The acts that the deliveries' notifications count: `id, actors, names`.
  fileprivate static func currentActs(of deliveries: [UUID], _ lease: UUID) -> SQL {
    """
    SELECT t.id, coalesce(a.actors, '{}') AS actors, coalesce(a.names, '{}') AS names
    FROM (SELECT DISTINCT notification_id AS id FROM deliveries WHERE id = ANY (\(deliveries)) AND lease_id = \(lease)) t
    CROSS JOIN LATERAL (\(acts(reportedBy: "t.id"))) a
    """
  }

  /// Writes the current words; returns the deliveries with their payloads.
  fileprivate static func reword(_ reworded: [Reworded], in deliveries: [UUID], at now: Date) -> SQL {
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(reworded.map(\.notification))", "title": "\(reworded.map(\.text.title))",
        "body": "\(reworded.map(\.text.body))", "data": "\(reworded.map(\.data))",
        "payload": "\(reworded.map(\.payload))",
      ])
    return """
      WITH said AS (
        UPDATE notifications n
        SET title = i.title, body = i.body, data = coalesce(n.data, '{}') || i.data::jsonb, payload = i.payload,
          phone_text = NULL, updated_at = \(now)
        FROM \(rows) WHERE n.id = i.id
        RETURNING n.id, n.payload
      )
      SELECT d.id, said.payload FROM said JOIN deliveries d ON d.notification_id = said.id AND d.id = ANY (\(deliveries))
      """
  }

  fileprivate static func push(_ notifications: [UUID], at now: Date) -> SQL {
    "UPDATE notifications SET pushed_at = \(now) WHERE id = ANY (\(notifications))"
  }

  /// Writes what a suppression leaves in the inbox; an entry that was read on another device stays.
  fileprivate static func leave(_ verdicts: [(notification: UUID, decision: Decision)], at now: Date) -> SQL {
    let left = verdicts.map { (id: $0.notification, entry: $0.decision.inboxEntry) }
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(left.map(\.id))", "is_read": "\(left.map { $0.entry == .read })",
        "is_gone": "\(left.map { $0.entry == .none })", "counts": "\(left.map { $0.entry == .unread })",
      ])
    return """
      UPDATE notifications n
      SET is_read = n.is_read IS TRUE OR i.is_read, is_archived = n.is_archived IS TRUE OR i.is_gone AND n.is_read IS NOT TRUE,
        counts_for_badge = n.counts_for_badge AND i.counts, updated_at = \(now)
      FROM \(rows) WHERE n.id = i.id
      """
  }

  /// Puts deliveries off or ends them, and releases their leases; returns their ids.
  fileprivate static func putOff(
    _ deliveries: [UUID], _ lease: UUID, _ verdicts: [(notification: UUID, decision: Decision)],
    _ renewed: [(notification: UUID, expiry: Date)], at now: Date
  ) -> SQL {
    let ends = Dictionary(renewed.map { ($0.notification, $0.expiry) }) { first, _ in first }
    let rows: SQL = .rows(
      "i",
      [
        "notification_id": "\(verdicts.map(\.notification))", "until": "\(verdicts.map { $0.decision.end })",
        "reason": "\(verdicts.map { $0.decision.obstacle })", "expires_at": "\(verdicts.map { ends[$0.notification] })",
      ])
    return """
      UPDATE deliveries d
      SET state = CASE WHEN i.until IS NULL THEN 'expired' ELSE d.state END,
        reason = CASE WHEN i.until IS NULL OR i.reason IN ('quiet_hours', 'muted') THEN i.reason
          ELSE coalesce(d.reason, i.reason) END,
        not_before = coalesce(i.until, d.not_before), expires_at = greatest(d.expires_at, i.expires_at), outage = NULL, outage_since = NULL, lease_id = NULL, lease_until = NULL,
        unsettled = greatest(d.unsettled - 1, 0), badge = NULL, updated_at = \(now)
      FROM \(rows)
      WHERE d.notification_id = i.notification_id AND d.id = ANY (\(deliveries)) AND d.lease_id = \(lease)
      RETURNING d.id
      """
  }
}

extension Recheck {
  /// Whether a late summary still tells of a notification.
  fileprivate func judgeInSummary(_ part: Waiting, canBeSaid: Bool) -> Judgement {
    guard part.expiry > now else {
      return Judgement(part: part, candidate: part.candidate, decision: .suppress(.expired))
    }
    return judge(
      part, asking: Gate.switches + [.eligibility, .viewing], until: .distantFuture, canBeSaid: canBeSaid)
  }
}

extension Decision {
  fileprivate var end: Date? { if case .hold(let hold) = self { hold.until } else { nil } }
}
