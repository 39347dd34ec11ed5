package import FoundationEssentials
package import Notifications
package import Postgres

/// What has to be asked about the earlier notifications of candidates.
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
