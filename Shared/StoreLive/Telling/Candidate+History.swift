import FoundationEssentials
import Notifications
import Postgres

extension [Candidate] {
  /// The candidates with what they were told before, as far as the gates ask about it.
  /// - Parameter locks: statements to be carried out first, in the same round trip.
  func remembering<N: Notice>(
    _ announcement: Announcement<N>, _ event: Occurrence, after locks: [SQL] = [], _ transaction: Transaction
  ) async throws -> [Candidate] {
    guard let kind = announcement.kind, !isEmpty else { return self }
    let people = map(\.user)
    let limited = filter { $0.hourlyLimit != nil }.map(\.user)
    let parts = announcement.notices.values.compactMap(\.part)
    // A kind of a family may say the same again: what it repeats is merged instead.
    let hasKeys = announcement.notices.values.contains { $0.dedupeKey != nil }
    let family = kind.batches ? kind.family : nil
    let queries: [SQL?] = [
      kind.family == nil || hasKeys ? .history(of: people, in: kind.app, announcement, event) : nil,
      limited.isEmpty ? nil : .recentPushes(of: limited, in: kind.app, at: event.now),
      family.map { .openWindows(of: people, in: kind.app, $0, about: parts.map(\.subjectID), at: event.now) },
    ]
    var answers = try await transaction.pipeline(locks + queries.compactMap(\.self)).dropFirst(locks.count)
    let rows = queries.map { $0 == nil ? nil : answers.removeFirst() }
    let told = try rows[0]?.grouped { row in try Candidate.Told(row) } ?? [:]
    let pushes = try rows[1]?.grouped { row in try row.decode("pushed_at", as: Date.self) } ?? [:]
    let windows =
      try rows[2]?.grouped { row in
        (
          subject: try row.decode("family_subject", as: String.self),
          window: Candidate.Window(opener: try row.decode("id"), end: try row.decode("window_ends_at"))
        )
      } ?? [:]
    return map { candidate in
      var candidate = candidate
      candidate.history = told[candidate.user] ?? []
      candidate.recentPushes = pushes[candidate.user] ?? []
      let subject = announcement.notices[candidate.subjectID]?.part?.subjectID
      candidate.openWindow = windows[candidate.user]?.first { $0.subject == subject }?.window
      return candidate
    }
  }
}

extension Candidate.Told {
  fileprivate init(_ row: Row) throws {
    let text = NotificationText(title: row["title"] ?? "", body: row["body"] ?? "")
    self.init(
      subjectID: row["subject_id"], text: text, time: try row.decode("created_at"), dedupeKey: row["dedupe_key"])
  }
}

extension Rows {
  /// What the rows say of each person, in their order.
  func grouped<Value>(_ value: (Row) throws -> Value) throws -> [UUID: [Value]] {
    var groups: [UUID: [Value]] = [:]
    for row in self { groups[try row.decode("user_id"), default: []].append(try value(row)) }
    return groups
  }
}
