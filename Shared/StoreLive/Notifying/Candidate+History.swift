package import FoundationEssentials
package import Notifications
package import Postgres

extension [Candidate] {
  /// The candidates with the earlier notifications that the gates ask about.
  /// - Parameter locks: statements to run first, in the same round trip.
  func remembering<N: Notice>(
    _ announcement: Announcement<N>, _ event: EventContext, after locks: [SQL] = [],
    _ transaction: some QueryExecutor
  ) async throws -> [Candidate] {
    guard let kind = announcement.kind, !isEmpty else { return self }
    let people = map(\.user)
    let limited = filter { $0.hourlyLimit != nil }.map(\.user)
    let notices = announcement.notices.values
    let batched = filter { kind.batches(for: $0.reason) }.map(\.user)
    let family = batched.isEmpty ? nil : kind.family
    let project = kind.family == .statuses ? notices.lazy.compactMap(\.subject.project).first : nil
    // A kind with a family may repeat its words, because duplicates are merged.
    let asksHistory = kind.family == nil || notices.contains { $0.dedupeKey != nil || $0.stateKey != nil }
    // A dry run of an applied event repeats the decision: the event's own pushes do not count.
    let others: SQL = event.dryRun ? " AND NOT \(event.caused("notifications"))" : ""
    let queries: [SQL?] = [
      asksHistory ? .history(of: people, in: kind.app, announcement, event) : nil,
      limited.isEmpty ? nil : .recentPushes(of: limited, in: kind.app, at: event.now) + others,
      family.map { family in
        .threads(of: batched, in: kind.app, family, about: notices.compactMap(\.part?.subjectID), event)
      },
      project.map { .statusFloods(of: people, in: $0, event) },
    ]
    var answers = try await transaction.pipeline(locks + queries.compactMap(\.self)).dropFirst(locks.count)
    let rows = queries.map { $0 == nil ? nil : answers.removeFirst() }
    let earlier = try rows[0]?.grouped { row in try Candidate.EarlierNotification(row) } ?? [:]
    let pushes = try rows[1]?.grouped { row in try row.decode("pushed_at", as: Date.self) } ?? [:]
    let threads = try rows[2]?.grouped { row in try Thread(row) } ?? [:]
    let floods = try rows[3]?.grouped { row in try row.decode("window_ends_at", as: Date.self) } ?? [:]
    return map { candidate in
      var candidate = candidate
      candidate.history = earlier[candidate.user] ?? []
      candidate.recentPushes = pushes[candidate.user] ?? []
      guard kind.batches(for: candidate.reason) else { return candidate }
      let subject = announcement.notices[candidate.subjectID]?.part?.subjectID
      let thread = threads[candidate.user]?.first { $0.subject == subject }
      let flood = floods[candidate.user]?.first.map { Candidate.Window(opener: nil, end: $0) }
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

  /// Reads `id, collapse_id, title, body, actors, names`.
  package init(_ row: Row) throws {
    self.init(
      try row.decode("id"), as: try row.decode("collapse_id"),
      saying: NotificationText(title: row["title"] ?? "", body: row["body"] ?? ""), of: try [Act](row))
  }
}

extension Candidate.EarlierNotification {
  fileprivate init(_ row: Row) throws {
    let text = NotificationText(title: row["title"] ?? "", body: row["body"] ?? "")
    self.init(
      subjectID: row["subject_id"], text: text, time: try row.decode("created_at"), dedupeKey: row["dedupe_key"],
      state: row["state"])
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
