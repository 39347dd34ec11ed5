import Documents
import FoundationEssentials
import FunctionKit
import Postgres

extension Transaction {
  /// The decisions of one function about an event.
  ///
  /// - Parameters:
  ///   - row: of `handled_events`.
  ///   - place: after whom the list goes on; `nil` for its beginning, which has somebody of each decision first, so that
  ///     none is missing where many people are not shown.
  ///   - kept: the groups of events whose people are too many to be counted each time.
  func handling(
    _ row: Row, _ user: PersonSummary?, _ count: Int, after place: PersonPlace?, _ kept: KeptGroups
  ) async throws -> ExplainDocument.Handling {
    let (function, source, event) = (row["function"] ?? "", row["source"] ?? "", row["event_id"] ?? "")
    let decided: SQL = "d.function = \(function) AND d.source = \(source) AND d.event_id = \(event)"
    let groups = try await kept.groups(of: row) { try await decisionGroups(decided) }
    let counts = groups.map(\.count)
    let chosen: SQL = user.map { "\(decided) AND d.user_id = \($0.id.uuid)" } ?? decided
    let firsts = place == nil && user == nil ? groups.prefix(max(0, count - 1)).map(\.first) : []
    let examples = firsts.sorted { ($0.user.uuidString, $0.subject) < ($1.user.uuidString, $1.subject) }
    let rest: SQL = place.map { "AND (d.user_id, d.subject_id) > (\($0.key.user), \($0.key.subject))" } ?? ""
    let others = try await keys(of: "\(chosen) \(rest)", order: "d.user_id, d.subject_id", count + 1)
    let list = PeopleList(examples, others, most: count)
    let people = try await decisions(list.keys)
    let isAbsent = people.isEmpty && place == nil && !counts.isEmpty
    let absent = user.flatMap { isAbsent ? "\($0.title) was not among them" : nil }
    return ExplainDocument.Handling(
      function: function, source: source, event: event, at: try row.decode("created_at"), counts: counts,
      reason: try absent ?? Self.reason(row["result"], of: event), isFinished: row["result"] != nil, people: people,
      next: list.next?.text)
  }

  /// The decisions by what was decided and why, those of the most people first.
  private func decisionGroups(_ decided: SQL) async throws -> [DecisionGroup] {
    let groups = try await query(
      """
      SELECT d.decision, d.reason, min(d.app) AS app, count(*) AS people, min(d.ctid)::text AS first FROM decisions d WHERE \(decided)
      GROUP BY d.decision, d.reason ORDER BY count(*) DESC, d.decision, d.reason
      """)
    guard !groups.isEmpty else { return [] }
    // One snapshot: a row stays where it is.
    let firsts = groups.compactMap { $0["first"] }
    let keys = try await keys(
      of: "d.ctid = ANY (\(firsts)::tid[])", order: "array_position(\(firsts)::tid[], d.ctid)", firsts.count)
    return try zip(groups, keys).map { row, first in
      DecisionGroup(
        count: DecisionCount(
          try row.decode("decision"), because: row["reason"], in: row["app"] ?? "", try row.decode("people")),
        first: first)
    }
  }

  private func keys(of condition: SQL, order: SQL, _ limit: Int) async throws -> [DecisionKey] {
    try await query(
      """
      SELECT d.function, d.source, d.event_id, d.user_id, d.subject_id FROM decisions d
      WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ).map { row throws(PostgresError) in try DecisionKey(row) }
  }

  private static func reason(_ result: String?, of event: String) throws -> String? {
    guard let result = try result.map({ try RawJSON(validating: Array($0.utf8)[...]) }) else { return nil }
    if let told = result["event"]?.stringValue, told != event {
      return "the same change of the row was told because of event \(told)"
    }
    return result["reason"]?.stringValue
  }
}

/// Whose decisions are listed, and where the list goes on.
struct PeopleList {
  private(set) var keys: [DecisionKey]
  /// The last one in the order of ids, if there are more; `nil` otherwise.
  private(set) var next: PersonPlace?

  /// - Parameters:
  ///   - examples: the ones to list first, fewer than `most`.
  ///   - others: in the order of their ids, one more than `most` if there are more; examples may be among them.
  init(_ examples: [DecisionKey], _ others: [DecisionKey], most: Int) {
    keys = examples
    var last: DecisionKey?
    for key in others {
      if !examples.contains(key) {
        guard keys.count < most else {
          next = last.map { PersonPlace($0) }
          return
        }
        keys.append(key)
      }
      last = key
    }
  }
}
