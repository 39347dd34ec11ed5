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
    // No plan is worth compiling: each call of a function in SQL would be compiled again.
    connection = Connection(
      url: try environment.databaseURL(), applicationName: name, parameters: [("jit", "off")])
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
