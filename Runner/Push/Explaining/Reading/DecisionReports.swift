import Documents
import FoundationEssentials
import Notifications
import Postgres

extension Transaction {
  /// Decisions with their outcomes, in the order of their keys: what a decision's row leads to is read for those alone that
  /// are shown.
  ///
  /// A decision that had a push of its own keeps the words of that push, whatever was gathered with it later.
  /// - Parameter hasAttempts: whether every answer of the providers is read, too.
  func decisions(_ keys: [DecisionKey], hasAttempts: Bool = true) async throws -> [DecisionReport] {
    guard !keys.isEmpty else { return [] }
    let rows = try await pipelineKeepingPlans([
      """
      SELECT d.*, u.name, u.email, \(.zone(of: "d.user_id", in: "d.app")) AS zone, h.held_until,
        coalesce(n.summary_id, t.summary_id, t.id) AS told_by,
        coalesce(w.phone_text[1], w.title) AS title, coalesce(w.phone_text[2], w.body) AS body, \(.name(of: "d.subject_id", else: "n.family_name")) AS subject_name,
        coalesce(n.actor_name, (SELECT a.name FROM users a WHERE a.id = push_uuid(n.actor))) AS actor_name,
        CASE WHEN \(.canShowActivity(about: "n")) THEN n.app END AS shown_by,
        CASE WHEN \(.isMuted("d", notification: "n")) THEN \(.place(of: "d.subject_id", in: "d.app", to: "d.user_id")) END AS muted_place
      FROM \(keys.rows) k
      JOIN decisions d ON (d.function, d.source, d.event_id, d.user_id, d.subject_id)
        = (k.function, k.source, k.event_id, k.user_id, k.subject_id)
      LEFT JOIN users u ON u.id = d.user_id
      LEFT JOIN notifications n ON n.id = d.notification_id
      LEFT JOIN notifications t ON t.id = CASE WHEN n.merged_into IS NOT NULL THEN push_teller(n.id) END
      LEFT JOIN notifications w ON w.id = CASE WHEN n.pushed_at IS NULL OR n.summary_id IS NOT NULL
        THEN coalesce(n.summary_id, t.summary_id, t.id, n.id) ELSE n.id END
      LEFT JOIN held_notifications h ON h.notification_id = d.notification_id
      ORDER BY k.number
      """
    ])[0]
    var reports = try rows.map { try DecisionReport($0) }
    let notifications = (reports.compactMap(\.notification) + reports.compactMap(\.mergedInto)).map(\.uuid)
    var shown: [String: [UUID]] = [:]
    for row in rows {
      guard let app = row["shown_by"] else { continue }
      shown[app, default: []].append(try row.decode("notification_id"))
    }
    let answers = try await pipelineKeepingPlans(
      [
        .rechecks(of: notifications), .pushes(of: notifications), .unread(notifications),
        .others(in: reports.compactMap(\.mergedInto?.uuid), orIn: reports.compactMap(\.notification?.uuid)),
      ] + App.allCases.compactMap { app in shown[app.rawValue].flatMap { .activities(of: $0, in: app) } })
    let rechecks = try Dictionary(grouping: answers[0]) { try $0.decode("notification_id", as: UUID.self) }
    let pushes = try await pushes(answers[1], hasAttempts: hasAttempts)
    let (unread, activities) = (try UnreadReport.all(answers[2]), try ActivityReport.all(answers.dropFirst(4)))
    // A number that a row has been given by others may be none.
    let others = Dictionary(answers[3].map { ($0["id"] ?? "", $0["others"].flatMap { Int($0) } ?? 0) }) { $1 }
    for index in reports.indices {
      defer { reports[index].conclude() }
      guard let notification = reports[index].notification?.uuid else { continue }
      let report = reports[index]
      (reports[index].unread, reports[index].activities) = (unread[notification], activities[notification])
      reports[index].later = try (rechecks[notification] ?? []).map { try report.recheck($0) }
      let number = others[(report.mergedInto ?? report.notification)?.description ?? ""] ?? 0
      reports[index].toldWith = number > 0 ? number : nil
      let own = pushes[notification] ?? []
      // A notification that was sent itself, before others were merged with it, has its own deliveries.
      if own.isEmpty, let other = report.mergedInto?.uuid {
        reports[index].take(pushes[other] ?? [])
      } else {
        reports[index].take(own)
        reports[index].mergedInto = nil
      }
    }
    return reports
  }

  /// Runs statements by plans that the session keeps; all others are planned each time.
  ///
  /// They find rows by lists of keys, and no key needs another plan. PostgreSQL takes longer to plan them than to run them.
  private func pipelineKeepingPlans(_ statements: [SQL]) async throws(PostgresError) -> [Rows] {
    let (before, after): (SQL, SQL) = (
      "SET LOCAL plan_cache_mode = force_generic_plan", "SET LOCAL plan_cache_mode = force_custom_plan"
    )
    return try await pipeline([before] + statements + [after]).dropFirst().dropLast()
  }
}

extension SQL {
  /// The decisions on notifications when their holds were over.
  fileprivate static func rechecks(of notifications: [UUID]) -> SQL {
    """
    SELECT notification_id, decision, reason, facts::text AS facts, created_at FROM notification_rechecks
    WHERE notification_id = ANY (\(notifications)) ORDER BY created_at
    """
  }

  /// How many other notifications a message tells of, by the notification that has its push.
  ///
  /// - Parameters:
  ///   - tellers: the notifications into which others were merged or summarized.
  ///   - notifications: others; those count that were told after a wait.
  fileprivate static func others(in tellers: [UUID], orIn notifications: [UUID]) -> SQL {
    """
    SELECT t.id, CASE
        WHEN n.type <> \(QuietSummary.typeName) THEN (
          SELECT count(*) FROM (SELECT FROM push_parts(t.id) LIMIT \(DecisionReport.mostOthers + 1)) p
        )
        WHEN n.data ->> 'count' ~ '^[0-9]{1,9}$' THEN (n.data ->> 'count')::int - 1
      END AS others
    FROM (
      SELECT unnest(\(tellers)::uuid[]) AS id UNION
      SELECT r.notification_id FROM notification_rechecks r
      WHERE r.notification_id = ANY (\(notifications)) AND r.decision = \(Verdict.Word.notify.rawValue)
    ) t JOIN notifications n ON n.id = t.id
    """
  }

  /// The name of a subject, else that of the family of its notification; NULL if it has none.
  ///
  /// - Parameters:
  ///   - subject: its id, a text.
  ///   - family: the name of what the notification is told together with.
  static func name(of subject: SQL, else family: SQL) -> SQL {
    """
    coalesce(
      (SELECT f.title FROM feedbacks f WHERE f.id = push_uuid(\(subject))),
      (SELECT p.title FROM event_proposals p WHERE p.id = push_uuid(\(subject))),
      (SELECT e.title FROM events e WHERE e.id = push_uuid(\(subject))), \(family))
    """
  }
}

extension SQL {
  /// Whether a mute for good has stopped a decision, at once or when its hold was over.
  fileprivate static func isMuted(_ decision: SQL, notification: SQL) -> SQL {
    let reason = Suppression.projectMuted.rawValue
    return """
      \(decision).reason = \(reason) OR EXISTS (
        SELECT FROM notification_rechecks r WHERE r.notification_id = \(notification).id AND r.reason = \(reason))
      """
  }

  /// The name of a subject's project or group, with the beginning of its id if the person has settings for another one of
  /// that name; NULL if it has none.
  ///
  /// - Parameters:
  ///   - subject: its id, a text.
  ///   - app: the app's name.
  ///   - person: the person's id.
  static func place(of subject: SQL, in app: SQL, to person: SQL) -> SQL {
    let names = App.allCases.compactMap { app in
      app.profile.groups.map { groups -> SQL in
        let (parents, column): (SQL, SQL) = ("\(identifier: groups.parents)", "\(identifier: groups.column)")
        let owners = app == .lockItIn ? ["event_proposals", "events"] : ["feedbacks"]
        let found = owners.map { owner -> SQL in
          "(SELECT r.\(column) FROM \(identifier: owner) r WHERE r.id = push_uuid(\(subject)))"
        }
        let subjects: SQL = found.reduce("") { "\($0)\($1), " }
        return """
          WHEN \(app.rawValue) THEN (
            SELECT p.name || CASE WHEN EXISTS (
                SELECT FROM \(identifier: groups.table) m JOIN \(parents) o ON o.id = m.\(column)
                WHERE m.user_id = \(person) AND o.name = p.name AND o.id <> p.id)
              THEN ' (' || left(p.id::text, 8) || ')' ELSE '' END
            FROM \(parents) p WHERE p.id = coalesce(\(subjects)push_uuid(\(subject))))
          """
      }
    }
    let cases: SQL = names.reduce("") { "\($0) \($1)" }
    return "CASE \(app) \(cases) END"
  }
}

extension DecisionReport {
  fileprivate init(_ row: Row) throws {
    let (app, kind) = (row["app"] ?? "", row["kind"] ?? "")
    let person = try PersonSummary(row)
    let at: Date = try row.decode("created_at")
    let verdict = Verdict(decision: try row.decode("decision"), reason: row["reason"])
    let recorded = try Recorded(
      person, as: row["recipient_reason"] ?? "", of: kind, app, facts: row["facts"], verdict, at: at)
    let explained = recorded?.explained(asking: Gate.allCases)
    self.init(
      person: person, recipientReason: row["recipient_reason"] ?? "", app: app, kind: kind,
      subject: row["subject_id"] ?? "", event: row["event_id"] ?? "", function: row["function"] ?? "", at: at,
      verdict: explained?.verdict ?? verdict, gates: explained?.gates ?? [],
      notification: try row.optionalID("notification_id"), waitsUntil: try row.optional("held_until"),
      mergedInto: try row.optionalID("told_by"))
    (subjectName, actorName, mutedPlace) = (row["subject_name"], row["actor_name"], row["muted_place"])
    if row["title"] != nil || row["body"] != nil { said = Words(title: row["title"], body: row["body"]) }
  }

  /// Takes its pushes, with one more than are listed if there are more.
  fileprivate mutating func take(_ all: [DeliveryReport]) {
    pushes = Array(all.prefix(Self.mostPushes))
    hasMorePushes = all.count > pushes.count ? true : nil
  }

  fileprivate func recheck(_ row: Row) throws -> Recheck {
    let at: Date = try row.decode("created_at")
    let verdict = Verdict(decision: try row.decode("decision"), reason: row["reason"])
    let recorded = try Recorded(person, as: recipientReason, of: kind, app, facts: row["facts"], verdict, at: at)
    let explained = [.merge, .summarize].contains(verdict.decision) ? nil : recorded?.explained(asking: Gate.whenDue)
    return Recheck(at: at, verdict: explained?.verdict ?? verdict, gates: explained?.gates ?? [])
  }
}

extension Verdict.Word: PostgresDecodable {}

extension Recorded {
  /// The record of a decision; `nil` if this version does not know the app, kind or reason.
  init?(
    _ person: PersonSummary, as reason: String, of kind: String, _ app: String, facts: String?, _ verdict: Verdict,
    at: Date
  ) throws {
    guard let app = App(rawValue: app), let kind = Kind.named(kind, of: app),
      let reason = RecipientReason(rawValue: reason)
    else { return nil }
    self.init(
      user: person.id.uuid, subject: "", reason: reason, kind: kind, facts: try DecisionFacts(json: facts),
      verdict: verdict,
      at: at, zone: person.timeZone)
  }
}
