import Documents
import FoundationEssentials
import Postgres
import StoreLive

extension ReportStore {
  /// The most people of an event, or of a part of it, that a list counts.
  private static let mostCounted = 200
  /// How many people of an event, or of a part of it, a list names.
  private static let mostNamed = 10

  /// The events that functions have decided about last, and what was told because a wait was over, the newest first.
  ///
  /// - Parameter count: how many; the parts of one are a single entry, and count each.
  func latest(_ count: Int, of function: String?) async throws -> RecentDocument {
    try await read { transaction in
      // A page that waits no longer ends the command, which would not end its query.
      _ = try await transaction.query("SET LOCAL statement_timeout = '2s'")
      let rows = try await transaction.query(.latest(count, of: function, Self.mostCounted, Self.mostNamed))
      var parts: [Part] = []
      for row in rows {
        let key = [row["function"] ?? "", row["source"] ?? "", row["event_id"] ?? ""]
        if parts.last?.key != key {
          parts.append(Part(key: key, at: try row.decode("created_at"), hasMore: try row.decode("has_more")))
        }
        try parts[parts.count - 1].take(row, Self.mostNamed)
      }
      let events = Self.whole(parts, try await transaction.people(of: parts))
      guard function ?? RecentRelease.function == RecentRelease.function else { return RecentDocument(events: events) }
      let releases = try await transaction.releases(count, naming: Self.mostNamed)
      return RecentDocument(events: Array((events + releases).sorted { $0.at > $1.at }.prefix(count)))
    }
  }

  /// The events of parts, which are the newest first.
  private static func whole(_ parts: [Part], _ people: [[String]: [DecisionReport]]) -> [RecentDocument.Handled] {
    var events: [RecentDocument.Handled] = []
    var places: [[String]: Int] = [:]
    for part in parts {
      let (function, source, id) = (part.key[0], part.key[1], EventContext.event(of: part.key[2]))
      let named = people[part.key] ?? []
      let place = places[[function, source, id]] ?? events.count
      if place == events.count {
        places[[function, source, id]] = place
        events.append(
          RecentDocument.Handled(event: id, function: function, source: source, at: part.at, counts: []))
      }
      let former = events[place].people ?? []
      // What the event itself is about comes before what a part is about.
      events[place].people = part.key[2] == id ? named + former : former + named
      events[place].add(part.counts)
      if part.hasMore { events[place].hasMore = true }
    }
    return events
  }
}

extension SQL {
  /// The people of the last events, each with the number of those who have the same decision.
  ///
  /// The first people by the primary key are looked at, because an event may have concerned everybody.
  fileprivate static func latest(_ count: Int, of function: String?, _ counted: Int, _ named: Int) -> SQL {
    let filter: SQL = function.map { "AND h.function = \($0)" } ?? ""
    return """
      SELECT h.function, h.source, h.event_id, h.created_at, k.*
      FROM (
        SELECT h.function, h.source, h.event_id, h.created_at FROM handled_events h
        WHERE h.source NOT LIKE 'row %' \(filter) AND EXISTS (
          SELECT FROM decisions d
          WHERE d.function = h.function AND d.source = h.source AND d.event_id = h.event_id)
        ORDER BY h.created_at DESC, h.function, h.source, h.event_id LIMIT \(count)
      ) h CROSS JOIN LATERAL (
        SELECT f.*, count(*) OVER () > \(counted) AS has_more,
          count(*) FILTER (WHERE f.number <= \(counted)) OVER (PARTITION BY f.decision, f.reason) AS people,
          row_number() OVER (PARTITION BY f.decision, f.reason ORDER BY f.number) AS place
        FROM (
          SELECT d.user_id, d.subject_id, d.decision, d.reason, d.app,
            row_number() OVER (ORDER BY d.user_id, d.subject_id) AS number
          FROM decisions d
          WHERE d.function = h.function AND d.source = h.source AND d.event_id = h.event_id
          ORDER BY d.user_id, d.subject_id LIMIT \(counted + 1)
        ) f
      ) k
      WHERE k.number <= \(counted) AND k.place <= \(named)
      ORDER BY h.created_at DESC, h.function, h.source, h.event_id, k.place, k.people DESC, k.decision, k.reason
      """
  }
}

/// The decisions of a function about an event, or a part of it, at once.
private struct Part {
  /// Function, source, and the id under which it is recorded.
  let key: [String]
  let at: Date
  let hasMore: Bool
  var counts: [DecisionCount] = []
  /// The keys of those who are named, besides that of the part.
  var people: [(user: UUID, subject: String)] = []

  /// Takes the next person, whose decision is counted with them if they are its first.
  mutating func take(_ row: Row, _ most: Int) throws {
    if try row.decode("place", as: Int.self) == 1 {
      counts.append(
        DecisionCount(
          try row.decode("decision"), because: row["reason"], in: row["app"] ?? "", try row.decode("people")))
    }
    if people.count < most { people.append((user: try row.decode("user_id"), subject: row["subject_id"] ?? "")) }
  }
}

extension RecentDocument.Handled {
  fileprivate mutating func add(_ others: [DecisionCount]) {
    for other in others {
      if let index = counts.firstIndex(where: { $0.decision == other.decision && $0.reason == other.reason }) {
        counts[index].people += other.people
      } else {
        counts.append(other)
      }
    }
    counts.sort { ($1.people, $0.words) < ($0.people, $1.words) }
  }
}

extension Transaction {
  /// The people of parts, by the parts' keys; without their gates and pushes.
  fileprivate func people(of parts: [Part]) async throws -> [[String]: [DecisionReport]] {
    let keys = parts.flatMap { part in
      part.people.map { person in
        DecisionKey(
          function: part.key[0], source: part.key[1], event: part.key[2], user: person.user, subject: person.subject)
      }
    }
    let reports = try await decisions(keys)
    // One snapshot has a decision for each key.
    var people: [[String]: [DecisionReport]] = [:]
    for (key, report) in zip(keys, reports) {
      var report = report
      (report.gates, report.later, report.pushes) = ([], [], [])
      people[[key.function, key.source, key.event], default: []].append(report)
    }
    return people
  }
}
