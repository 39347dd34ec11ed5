package import FoundationEssentials
package import Notifications
package import Postgres

/// The questions that have to be asked about the earlier notifications of candidates.
struct EarlierQuestions: Sendable {
  private var history: SQL?
  private var pushes: SQL?
  private var threads: SQL?
  private var floods: SQL?

  /// Nothing.
  init() {}

  init<N: Notice>(of candidates: [Candidate], _ announcement: Announcement<N>, _ event: EventContext) {
    guard let kind = announcement.kind, !candidates.isEmpty else { return }
    let people = candidates.map(\.user)
    let limited = candidates.filter { $0.hourlyLimit != nil }.map(\.user)
    let notices = announcement.notices.values
    let batched = candidates.filter { kind.batches(for: $0.reason) }.map(\.user)
    // A kind with a family may repeat its words, because duplicates are merged.
    let hasKey = notices.contains { $0.dedupeKey != nil || !$0.stateKeys.isEmpty }
    if !announcement.isAskedAgain, kind.family == nil || kind.family == .conflicts || hasKey {
      history = .history(of: people, in: kind.app, announcement, event)
    }
    if !limited.isEmpty {
      // A dry run of an applied event repeats the decision: the event's own pushes do not count.
      let others: SQL = event.dryRun ? " AND NOT \(event.caused("notifications"))" : ""
      pushes = .recentPushes(of: limited, in: kind.app, at: event.now) + others
    }
    if let family = kind.family, !batched.isEmpty {
      let subjects = notices.compactMap { $0.part?.subjectID }
      threads = .threads(of: batched, in: kind.app, family, about: subjects, event)
    }
    if kind.family == .statuses, let project = notices.lazy.compactMap({ $0.subject.project }).first {
      floods = .statusFloods(of: people, in: project, event)
    }
  }

  var queries: [SQL] { [history, pushes, threads, floods].compactMap { $0 } }

  /// The candidates with what was asked.
  /// - Parameter rows: the answers to the queries.
  func remembering<N: Notice>(
    _ candidates: [Candidate], _ announcement: Announcement<N>, _ rows: [Rows]
  ) throws -> [Candidate] {
    guard let kind = announcement.kind else { return candidates }
    var answers = rows[...]
    let earlier = try history.map { _ in try answers.removeFirst().grouped { try Candidate.EarlierNotification($0) } }
    let pushed = try pushes.map { _ in
      try answers.removeFirst().grouped { row in try row.decode("pushed_at", as: Date.self) }
    }
    let shown = try threads.map { _ in try answers.removeFirst().grouped { try Thread($0) } }
    let ends = try floods.map { _ in
      try answers.removeFirst().grouped { row in try row.decode("window_ends_at", as: Date.self) }
    }
    return candidates.map { candidate in
      var candidate = candidate
      candidate.history = earlier?[candidate.user] ?? []
      candidate.recentPushes = pushed?[candidate.user] ?? []
      guard kind.batches(for: candidate.reason) else { return candidate }
      let subject = announcement.notices[candidate.subjectID]?.part?.subjectID
      let thread = shown?[candidate.user]?.first { $0.subject == subject }
      let flood = ends?[candidate.user]?.first.map { Candidate.Window(opener: nil, end: $0) }
      (candidate.openWindow, candidate.shown) = (
        thread?.window ?? flood, kind.family.flatMap { thread?.shown?.continuing($0) }
      )
      return candidate
    }
  }
}

/// The last push of a family and subject to a person.
private struct Thread {
  let subject: String
  let window: Candidate.Window?
  let shown: Candidate.Shown?

  package init(_ row: Row) throws {
    subject = try row.decode("family_subject")
    let id: UUID = try row.decode("id")
    let (isOpen, isShown): (Bool, Bool) = (try row.decode("is_open"), try row.decode("is_shown"))
    window = isOpen ? Candidate.Window(opener: id, end: try row.decode("window_ends_at")) : nil
    shown = isShown && !isOpen ? try Candidate.Shown(row) : nil
  }
}

extension Candidate.Shown {
  /// The push, if the next one of its family continues it; `nil` otherwise, as after a push about several feedbacks.
  package func continuing(_ family: Kind.BatchingFamily) -> Self? {
    family == .statuses && Set(acts.map(\.actor)).count > 1 ? nil : self
  }

  /// Reads `id, collapse_id, title, body, actors, names, has_lost_acts`.
  package init(_ row: Row) throws {
    self.init(
      try row.decode("id"), as: try row.decode("collapse_id"),
      saying: NotificationText(said: row["title"] ?? "", row["body"] ?? ""), of: try [Act](row),
      hasLostActs: try row.decode("has_lost_acts"))
  }
}

extension Candidate.EarlierNotification {
  fileprivate init(_ row: Row) throws {
    let text = NotificationText(said: row["title"] ?? "", row["body"] ?? "")
    self.init(
      try row.optional("id"), subjectID: row["subject_id"], text: text, time: try row.decode("created_at"),
      dedupeKey: row["dedupe_key"], state: row["state"], isGone: try row.decode("is_gone"),
      isTwin: try row.decode("is_twin"))
  }
}

extension Rows {
  /// The values of each person's rows, in order.
  package func grouped<Value>(_ value: (Row) throws -> Value) throws -> [UUID: [Value]] {
    var groups: [UUID: [Value]] = [:]
    for row in self { groups[try row.decode("user_id"), default: []].append(try value(row)) }
    return groups
  }
}

extension SQL {
  /// Whether a person is looking at a subject, by the last report of their device.
  package static func isViewing(_ app: App, user: SQL, subject: SQL, at now: Date) -> SQL {
    """
    EXISTS (
      SELECT FROM user_activity a
      WHERE a.user_id = \(user) AND a.app = \(app.rawValue) AND a.subject_id = \(subject)
        AND a.seen_at > \(now.addingTimeInterval(-Gate.activityWindow)))
    """
  }

  /// When people got pushes of an app within the last hour.
  package static func recentPushes(of people: [UUID], in app: App, at now: Date) -> SQL {
    """
    SELECT user_id, pushed_at FROM notifications
    WHERE user_id = ANY (\(people)) AND app = \(app.rawValue)
      AND pushed_at > \(now.addingTimeInterval(-HourlyLimit.window))
    """
  }

  /// The last pushes of a family to people about some subjects, within a day, by other events than this one.
  ///
  /// It reads one push for each person and subject. Otherwise PostgreSQL may choose an index by which it reads all that
  /// a person got: it plans the statement once, when the table may be empty.
  ///
  /// The columns are `user_id, family_subject, id, window_ends_at, collapse_id, title, body, is_open, is_shown, actors,
  /// names, has_lost_acts`. The actors are read only if no window is open and the push is unopened.
  static func threads(
    of people: [UUID], in app: App, _ family: Kind.BatchingFamily, about subjects: [String], _ event: EventContext
  ) -> SQL {
    let now = event.now
    return """
      SELECT t.user_id, t.family_subject, t.id, t.window_ends_at, t.collapse_id, t.title, t.body, t.is_open, t.is_shown,
        coalesce(a.actors, '{}') AS actors, coalesce(a.names, '{}') AS names,
        coalesce(a.has_lost_acts, false) AS has_lost_acts
      FROM unnest(\(people)) AS p (user_id) CROSS JOIN unnest(\(subjects)) AS s (subject)
      CROSS JOIN LATERAL (
        SELECT n.user_id, n.family_subject, n.id,
          coalesce(n.window_ends_at, \(now)) AS window_ends_at,
          coalesce(n.collapse_id, n.id::text) AS collapse_id, \(wordsOnPhone),
          CASE WHEN n.window_ends_at > \(now) THEN true ELSE EXISTS (\(gathered(by: "n"))) END AS is_open,
          \(isOnPhone) AS is_shown
        FROM notifications n
        WHERE n.user_id = p.user_id AND n.app = \(app.rawValue) AND n.family = \(family.rawValue)
          AND NOT \(event.caused("n")) AND n.family_subject = s.subject
          AND n.pushed_at > \(now.addingTimeInterval(-Gate.threadLife))
        ORDER BY n.pushed_at DESC, n.id DESC LIMIT 1
      ) t
      LEFT JOIN LATERAL (\(acts(reportedBy: "t.id"))) a ON t.is_shown AND NOT t.is_open
      WHERE t.is_open OR t.is_shown
      """
  }

  /// Whether the phone still shows a notification `n` that was pushed, as far as is known.
  ///
  /// One that is gone has left the inbox, but not the phone.
  package static let isOnPhone: SQL = "n.is_read IS NOT TRUE AND (n.is_archived IS NOT TRUE OR n.is_gone)"

  /// The text on the phone of a notification `n`, as `title, body`.
  ///
  /// The words in the inbox may have been corrected.
  package static let wordsOnPhone: SQL = """
    coalesce(n.phone_text[1], n.title) AS title, coalesce(n.phone_text[2], n.body) AS body
    """

  /// The notifications of an opener's window that have not gone out although the window has ended.
  ///
  /// A new notification goes out with them.
  private static func gathered(by opener: SQL) -> SQL {
    """
    SELECT FROM held_notifications h JOIN notifications w ON w.id = h.notification_id
    WHERE h.user_id = \(opener).user_id AND w.opener_id = \(opener).id AND h.reason = \(Hold.Reason.batched.rawValue)
    """
  }

  /// The acts of a notification that still count: `actors, names`, the oldest first, and whether others do no more.
  ///
  /// They include the acts of all notifications that were merged into it.
  package static func acts(reportedBy notification: SQL) -> SQL {
    let columns: SQL = "c.actor, coalesce(c.actor_name, '') AS name, c.created_at, c.id, k.counts"
    return """
      SELECT array_agg(p.actor ORDER BY p.created_at, p.id) FILTER (WHERE p.counts) AS actors,
        array_agg(p.name ORDER BY p.created_at, p.id) FILTER (WHERE p.counts) AS names,
        bool_or(p.counts IS NOT TRUE) AS has_lost_acts
      FROM (
        SELECT \(columns) FROM notifications c CROSS JOIN LATERAL push_counts(c) k
        WHERE c.id = \(notification) AND c.actor IS NOT NULL
        UNION ALL
        SELECT \(columns) FROM push_parts(\(notification)) c CROSS JOIN LATERAL push_counts(c) k
        WHERE c.actor IS NOT NULL
      ) p
      """
  }

  /// When a project's status changes can go out again after there were too many: `user_id, window_ends_at`.
  static func statusFloods(of people: [UUID], in project: UUID, _ event: EventContext) -> SQL {
    let now = event.now
    return """
      SELECT user_id, min(window_ends_at) AS window_ends_at FROM notifications n
      WHERE user_id = ANY (\(people)) AND app = \(App.feedbackKit.rawValue) AND NOT \(event.caused("n"))
        AND family = \(Kind.BatchingFamily.statuses.rawValue) AND project_id = \(project) AND window_ends_at > \(now)
        AND pushed_at > \(now.addingTimeInterval(-Gate.batchWindow - 1))
      GROUP BY user_id HAVING count(*) >= \(Gate.mostStatuses)
      """
  }
}

extension [Act] {
  /// Reads the answer to ``SQL/acts(reportedBy:)``.
  package init(_ row: Row) throws {
    let (actors, names): ([String], [String]) = (try row.decode("actors"), try row.decode("names"))
    self = zip(actors, names).map { Act($0, named: $1.isEmpty ? nil : $1) }
  }
}
