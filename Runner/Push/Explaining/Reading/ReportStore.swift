import Documents
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import StoreLive

/// Reads what is recorded, in one read-only transaction.
struct ReportStore {
  /// The most people that are shown.
  static let listed = 20

  private let connection: Connection

  init(_ environment: Environment, name: String) throws(FunctionError) {
    connection = Connection(url: try environment.databaseURL(), applicationName: name)
  }

  func read<Answer: Sendable>(_ body: (Transaction) async throws -> Answer) async throws -> Answer {
    try await connection.transaction(.repeatableRead, readOnly: true, body)
  }

  /// The time by the functions' clock.
  func now() async throws -> Date { try await read { try await $0.now() } }

  /// Reports on an event that has happened.
  /// - Throws: ``FunctionError/Code/noInput`` if nothing is recorded about it.
  func report(
    on event: String, function: String? = nil, user name: String?, listing count: Int = listed
  ) async throws -> ExplainDocument {
    try await read { transaction in
      let user = try await PersonSummary.find(name, transaction)
      let handled = try await transaction.query(.handlings(of: event))
        .filter { function == nil || $0["function"] == function }
      guard !handled.isEmpty else {
        throw FunctionError(
          .noInput,
          "No function has decided anything about an event \(event), and nobody is registered as \(event). An event may "
            + "still wait, have been refused, or concern nobody. Decisions are deleted after 90 days.")
      }
      var handlings: [ExplainDocument.Handling] = []
      for row in handled {
        handlings.append(try await handling(row, user, count, transaction))
      }
      return ExplainDocument(event: event, dryRun: false, handlings: handlings)
    }
  }

  private func handling(
    _ row: Row, _ user: PersonSummary?, _ count: Int, _ transaction: Transaction
  ) async throws -> ExplainDocument.Handling {
    let (function, source, event) = (row["function"] ?? "", row["source"] ?? "", row["event_id"] ?? "")
    let decided: SQL = "d.function = \(function) AND d.source = \(source) AND d.event_id = \(event)"
    let counts = try await transaction.query(.counts(where: decided)).map { row in
      DecisionCount(try row.decode("decision"), because: row["reason"], try row.decode("people"))
    }
    let chosen: SQL = user.map { "\(decided) AND d.user_id = \($0.id.uuid)" } ?? decided
    // Somebody of each decision comes first, so that none is missing where many people are not shown.
    let people = try await transaction.decisions(
      where: chosen,
      order: """
        row_number() OVER (PARTITION BY d.decision, d.reason ORDER BY d.user_id, d.subject_id), d.user_id, d.subject_id
        """, limit: count)
    let absent = user.flatMap { people.isEmpty && !counts.isEmpty ? "\($0.title) was not among them" : nil }
    return ExplainDocument.Handling(
      function: function, source: source, event: event, at: try row.decode("created_at"), counts: counts,
      reason: try absent ?? Self.reason(row["result"], of: event), isFinished: row["result"] != nil, people: people)
  }

  private static func reason(_ result: String?, of event: String) throws -> String? {
    guard let result = try result.map({ try RawJSON(validating: Array($0.utf8)[...]) }) else { return nil }
    if let told = result["event"]?.stringValue, told != event {
      return "the same change of the row was told because of event \(told)"
    }
    return result["reason"]?.stringValue
  }
}

extension SQL {
  // Uses the primary key: one step finds the next pair of function and source, and one lookup follows for each pair.
  fileprivate static func handlings(of event: String) -> SQL {
    """
    WITH RECURSIVE origins AS (
      (SELECT function, source FROM handled_events ORDER BY function, source LIMIT 1)
      UNION ALL
      SELECT n.function, n.source FROM origins o CROSS JOIN LATERAL (
        SELECT h.function, h.source FROM handled_events h WHERE (h.function, h.source) > (o.function, o.source)
        ORDER BY h.function, h.source LIMIT 1) n
    )
    SELECT h.function, h.source, h.event_id, h.result, h.created_at
    FROM origins o JOIN handled_events h ON h.function = o.function AND h.source = o.source
    WHERE h.event_id = ANY (\(EventContext.ids(of: event))) AND h.source NOT LIKE 'row %'
    ORDER BY h.created_at, h.function, h.event_id
    """
  }

  fileprivate static func counts(where condition: SQL) -> SQL {
    """
    SELECT d.decision, d.reason, count(*) AS people FROM decisions d WHERE \(condition)
    GROUP BY d.decision, d.reason ORDER BY count(*) DESC, d.decision, d.reason
    """
  }
}

extension ReportStore {
  /// The most people of an event that a list counts.
  private static let mostCounted = 1_000
  /// How many people of an event a list names.
  private static let mostNamed = 4

  /// The events that functions have decided about last, the newest first.
  func latest(_ count: Int, of function: String?) async throws -> RecentDocument {
    try await read { transaction in
      let filter: SQL = function.map { "AND h.function = \($0)" } ?? ""
      let rows = try await transaction.query(
        """
        SELECT h.function, h.source, h.event_id, h.created_at, c.decision, c.reason, c.people
        FROM (
          SELECT h.* FROM handled_events h
          WHERE h.source NOT LIKE 'row %' \(filter) AND EXISTS (
            SELECT FROM decisions d
            WHERE d.function = h.function AND d.source = h.source AND d.event_id = h.event_id)
          ORDER BY h.created_at DESC, h.function, h.source, h.event_id LIMIT \(count)
        ) h CROSS JOIN LATERAL (
          SELECT d.decision, d.reason, count(*) AS people FROM \(.first(Self.mostCounted + 1, of: "h")) d
          GROUP BY d.decision, d.reason
        ) c
        ORDER BY h.created_at DESC, h.function, h.source, h.event_id, c.people DESC, c.decision, c.reason
        """)
      var events: [RecentDocument.Handled] = []
      for row in rows {
        let key = (row["function"] ?? "", row["source"] ?? "", row["event_id"] ?? "")
        let count = DecisionCount(try row.decode("decision"), because: row["reason"], try row.decode("people"))
        if let last = events.last, (last.function, last.source, last.event) == key {
          events[events.count - 1].counts.append(count)
        } else {
          events.append(
            RecentDocument.Handled(
              event: key.2, function: key.0, source: key.1, at: try row.decode("created_at"), counts: [count]))
        }
      }
      try await name(&events, transaction)
      return RecentDocument(events: events)
    }
  }

  /// Adds some of the people, those of each decision in turn.
  private func name(_ events: inout [RecentDocument.Handled], _ transaction: Transaction) async throws {
    guard !events.isEmpty else { return }
    let people = try await transaction.decisions(
      of: """
        (SELECT d.* FROM unnest(
          \(events.map(\.function))::text[], \(events.map(\.source))::text[], \(events.map(\.event))::text[]
        ) AS h (function, source, event_id) CROSS JOIN LATERAL (
          SELECT * FROM \(.first(Self.mostCounted + 1, of: "h")) d
          ORDER BY row_number() OVER (PARTITION BY d.decision, d.reason ORDER BY d.user_id, d.subject_id), d.decision
          LIMIT \(Self.mostNamed)) d)
        """, order: "d.function, d.event_id, d.user_id, d.subject_id", limit: events.count * Self.mostNamed)
    var named: [[String]: [DecisionReport]] = [:]
    for var person in people {
      (person.gates, person.later, person.pushes) = ([], [], [])
      named[[person.function, person.event], default: []].append(person)
    }
    for index in events.indices {
      events[index].people = named[[events[index].function, events[index].event]] ?? []
      if events[index].counts.reduce(0, { $0 + $1.people }) > Self.mostCounted { events[index].hasMore = true }
      events[index].event = EventContext.event(of: events[index].event)
    }
  }
}

extension SQL {
  /// The first decisions about an event, which is a row with the columns `function`, `source` and `event_id`.
  fileprivate static func first(_ count: Int, of event: SQL) -> SQL {
    """
    (SELECT * FROM decisions d WHERE d.function = \(event).function AND d.source = \(event).source
      AND d.event_id = \(event).event_id LIMIT \(count))
    """
  }
}
