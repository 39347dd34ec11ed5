import Documents
import FoundationEssentials
import Notifications
import Postgres
import StoreLive

/// The people who were told because a wait was over: all that one reason held and that was told without a longer break.
struct RecentRelease {
  /// The function that asks the gates again.
  static let function = "release-held"
  /// The most notifications that are looked at for all of them.
  fileprivate static let mostTold = 400
  /// A longer time between two notifications begins another release; a turn of one takes less than a second.
  private static let longestBreak: TimeInterval = 30
  /// Otherwise waits that end all day long, one after the other, would be one.
  private static let longest: TimeInterval = 600

  /// The reason of the wait.
  private let reason: String?
  /// When the last one was told.
  private let at: Date
  /// When the first one was told of those that were looked at.
  private var since: Date
  private var people: [Told] = []
  /// Whether not all of its notifications were looked at.
  private var hasMore = false

  /// The notifications that one person was told then.
  private struct Told {
    let user: UUID
    /// The waits of what was told, the newest first, with those that were merged.
    var waits: [Wait] = []
    /// The pushes that told of it, the newest first.
    var pushes: [Message] = []

    mutating func add(_ push: Message) {
      if !pushes.contains(where: { $0.notification == push.notification }) { pushes.append(push) }
    }
  }

  /// A push that was sent then.
  private struct Message {
    /// The notification that it is of: a summary has one of its own.
    let notification: UUID
    /// The newest decision that it told of.
    let key: DecisionKey
  }

  /// Something that had waited.
  private struct Wait {
    let part: RecentDocument.Part
    /// The subject that it is about.
    let subject: Subject
    /// The family as which it is counted, such as votes; `nil` for what is told alone.
    let family: Kind.BatchingFamily?
  }

  /// Something that has a name; what has none is as good as its id.
  private struct Subject: Hashable {
    let id: String
    let name: String?

    static func == (one: Subject, other: Subject) -> Bool { (one.name ?? one.id) == (other.name ?? other.id) }

    func hash(into hasher: inout Hasher) { hasher.combine(name ?? id) }
  }

  private init(_ reason: String?, _ at: Date) {
    (self.reason, self.at, since) = (reason, at, at)
  }

  /// Whether it went on until that earlier time, or may have.
  private func reaches(_ earlier: Date) -> Bool {
    since.timeIntervalSince(earlier) <= Self.longestBreak && at.timeIntervalSince(earlier) <= Self.longest
  }

  /// The newest first, from the rows of ``SQL/told(_:)``.
  fileprivate static func all(_ rows: Rows) throws -> [RecentRelease] {
    var releases: [RecentRelease] = []
    for row in rows {
      let (reason, at): (String?, Date) = (row["reason"], try row.decode("created_at"))
      let place = releases.firstIndex { $0.reason == reason && $0.reaches(at) } ?? releases.count
      if place == releases.count { releases.append(RecentRelease(reason, at)) }
      try releases[place].take(row, at)
    }
    if try rows.first?.decode("looked_at") == mostTold, let oldest = releases.map(\.since).min() {
      for index in releases.indices where releases[index].reaches(oldest) { releases[index].hasMore = true }
    }
    for index in releases.indices { releases[index].people.removeAll { $0.pushes.isEmpty } }
    return releases.filter { !$0.people.isEmpty }
  }

  private mutating func take(_ row: Row, _ at: Date) throws {
    since = at
    let key = try DecisionKey(row)
    let place = people.firstIndex { $0.user == key.user } ?? people.count
    if place == people.count { people.append(Told(user: key.user)) }
    let part = RecentDocument.Part(
      person: RowID(uuid: key.user), event: EventContext.event(of: key.event), function: key.function,
      kind: row["kind"] ?? "", at: try row.decode("decided_at"))
    people[place].waits.append(
      Wait(
        part: part, subject: Subject(id: key.subject, name: row["subject_name"]),
        family: row["family"].flatMap(Kind.BatchingFamily.init)))
    guard let notification: UUID = try row.optional("push_of") else { return }
    people[place].add(Message(notification: notification, key: key))
  }

  /// The decisions that pushes to the first people tell of, those of one person together.
  fileprivate func keys(_ count: Int) -> [DecisionKey] { people.prefix(count).flatMap(\.pushes).map(\.key) }

  /// - Parameter reports: of the ``keys(_:)``, in their order.
  fileprivate func handled(_ reports: [DecisionReport]) -> RecentDocument.Handled {
    let told = reports.map { report in
      var report = report
      (report.gates, report.later, report.pushes) = ([], [], [])
      (report.outcome, report.waitsUntil, report.words) = (.told, nil, "told")
      return report
    }
    var (named, others): ([DecisionReport], [DecisionReport]) = ([], [])
    var rest = told[...]
    for person in people {
      guard var first = rest.first else { break }
      if person.waits.count > 1 { first.words = "told: \(Self.words(for: person.waits)) that had waited" }
      named.append(first)
      others += rest.prefix(person.pushes.count).dropFirst()
      rest = rest.dropFirst(person.pushes.count)
    }
    let parts = people.prefix(named.count).flatMap(\.waits).map(\.part)
    var handled = RecentDocument.Handled(
      event: EventContext.event(of: named.first?.event ?? ""), function: Self.function,
      source: people.first?.pushes.first?.key.source ?? "", at: at,
      counts: [DecisionCount(.notify, because: nil, in: named.first?.app ?? "", people.count)])
    (handled.people, handled.hasMore) = (named, hasMore ? true : nil)
    handled.parts = Array(parts.prefix(RecentDocument.mostParts))
    if parts.count > RecentDocument.mostParts { handled.otherParts = parts.count - RecentDocument.mostParts }
    if !others.isEmpty { handled.otherPushes = others }
    handled.title = reason.flatMap(Hold.Reason.init)?.ending ?? "A wait ended"
    let subjects = people.flatMap(\.waits).map(\.subject)
    handled.subjectName = subjects.lazy.compactMap(\.name).first
    let otherSubjects = Set(subjects).count - 1
    if handled.subjectName != nil, otherSubjects > 0 { handled.otherSubjects = otherSubjects }
    return handled
  }
}

extension RecentRelease {
  /// How many of what, such as `3 votes, 1 comment`.
  private static func words(for waits: [Wait]) -> String {
    var (order, counts): ([String], [String: Int]) = ([], [:])
    var families: [String: Kind.BatchingFamily] = [:]
    for wait in waits {
      let name = wait.family?.rawValue ?? wait.part.kind
      if counts[name] == nil { order.append(name) }
      counts[name, default: 0] += 1
      families[name] = wait.family
    }
    return order.map { name in
      let count = counts[name] ?? 0
      guard let family = families[name] else { return "\(count) × \(name.replacing("_", with: " "))" }
      return count == 1 ? "1 \(family.words(for: 1))" : family.words(for: count)
    }.joined(separator: ", ")
  }
}

extension Transaction {
  /// The last notifications that were told because a wait was over, the newest first.
  ///
  /// - Parameters:
  ///   - count: how many at most.
  ///   - named: how many people each of them names.
  func releases(_ count: Int, naming named: Int) async throws -> [RecentDocument.Handled] {
    let releases = try RecentRelease.all(try await query(.told(RecentRelease.mostTold))).prefix(count)
    let keys = releases.map { $0.keys(named) }
    // One snapshot has a decision for each key.
    var reports = try await decisions(keys.flatMap(\.self))[...]
    return zip(releases, keys).map { release, keys in
      defer { reports = reports.dropFirst(keys.count) }
      return release.handled(Array(reports.prefix(keys.count)))
    }
  }
}

extension SQL {
  /// The notifications that had waited, of those told last, the newest first.
  ///
  /// Each has the keys of its decision, the reason of its wait, the notification that had the push, which a merged one has
  /// not, and the number of those that were looked at. A notification that was on the phone already, and is now part of a newer one, had not waited.
  fileprivate static func told(_ most: Int) -> SQL {
    """
    WITH told AS MATERIALIZED (
      SELECT * FROM notification_rechecks WHERE decision IN ('notify', 'merge', 'summarize')
      ORDER BY created_at DESC LIMIT \(most)
    )
    SELECT t.created_at, t.decision, d.function, d.source, d.event_id, d.user_id, d.subject_id,
      d.kind, d.created_at AS decided_at, n.family, coalesce(b.reason, d.reason) AS reason, (SELECT count(*) FROM told) AS looked_at,
      CASE t.decision WHEN 'notify' THEN n.id WHEN 'summarize' THEN coalesce(n.summary_id, n.id) END AS push_of,
      \(.name(of: "d.subject_id", else: "n.family_name")) AS subject_name
    FROM told t
    JOIN notifications n ON n.id = t.notification_id
    JOIN decisions d ON (d.function, d.source, d.event_id, d.user_id, d.subject_id)
      = (n.function, n.source, n.source_event_id, n.user_id, n.subject_id)
    LEFT JOIN LATERAL (
      SELECT b.decision, b.reason FROM notification_rechecks b
      WHERE b.notification_id = t.notification_id AND b.created_at < t.created_at ORDER BY b.created_at DESC LIMIT 1
    ) b ON true
    WHERE coalesce(b.decision, d.decision) = 'hold'
    ORDER BY t.created_at DESC, n.created_at DESC, n.id
    """
  }
}

extension Hold.Reason {
  /// The title that says that it holds nothing any more.
  fileprivate var ending: String {
    switch self {
    case .batched: "Gathering ended"
    case .quietHours: "Quiet hours ended"
    case .muted: "A mute ended"
    case .rateLimited: "A full hour was over"
    case .snoozed: "A snooze ended"
    }
  }
}
