import Documents
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive

/// Reads what is recorded, in one read-only transaction.
struct ReportStore {
  /// The most people that are shown.
  static let listed = 20

  private let connection: Connection
  private let groups = KeptGroups()

  /// The database of the process's environment: one session for all that the process is asked.
  static func own() throws(FunctionError) -> ReportStore { try kept.get() }

  private static let kept = Result { () throws(FunctionError) in try ReportStore(.current()) }

  private init(_ environment: Environment) throws(FunctionError) {
    Texts.add(of: environment)
    // No plan is worth compiling: each call of a function in SQL would be compiled again. None is worth a process of its
    // own. Where an index finds rows, statistics of yesterday do not make a plan read the table instead. And a plan that was
    // made for nobody in particular is kept for lists of keys only: those who have very much need another one than those
    // who have little.
    connection = Connection(
      url: try environment.databaseURL(), applicationName: "push",
      parameters: [
        ("jit", "off"), ("max_parallel_workers_per_gather", "0"), ("enable_seqscan", "off"),
        ("plan_cache_mode", "force_custom_plan"),
      ])
  }

  func read<Answer: Sendable>(_ body: (Transaction) async throws -> Answer) async throws -> Answer {
    try await connection.transaction(.repeatableRead, readOnly: true, body)
  }

  /// The time by the functions' clock.
  func now() async throws -> Date { try await read { try await $0.now() } }

  /// Reports on an event that has happened.
  ///
  /// - Parameter place: where the list of one function's decisions goes on, which is all that is reported then.
  /// - Throws: ``FunctionError/Code/noInput`` if nothing is recorded about it.
  func report(
    on event: String, function: String? = nil, user name: String?, listing count: Int = listed,
    after place: PersonPlace? = nil
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
      let asked = place.map { place in handled.filter { place.isOf($0) } } ?? handled
      guard !asked.isEmpty else { throw FunctionError(.usage, "--after names a list of another event or function.") }
      for row in asked {
        handlings.append(try await transaction.handling(row, user, count, after: place, groups))
      }
      return ExplainDocument(event: event, dryRun: false, handlings: handlings)
    }
  }
}

extension SQL {
  // Uses the primary key: one step finds the next pair of function and source, and one lookup follows for each pair and id:
  // together, they could look dearer than the whole table.
  fileprivate static func handlings(of event: String) -> SQL {
    """
    WITH RECURSIVE origins AS (
      (SELECT function, source FROM handled_events ORDER BY function, source LIMIT 1)
      UNION ALL
      SELECT n.function, n.source FROM origins o CROSS JOIN LATERAL (
        SELECT h.function, h.source FROM handled_events h WHERE (h.function, h.source) > (o.function, o.source)
        ORDER BY h.function, h.source LIMIT 1) n
    )
    SELECT h.* FROM origins o
    CROSS JOIN (SELECT DISTINCT unnest(\(EventContext.ids(of: event))) AS event_id OFFSET 0) i
    CROSS JOIN LATERAL (
      SELECT h.function, h.source, h.event_id, h.result, h.created_at FROM handled_events h
      WHERE h.function = o.function AND h.source = o.source AND h.event_id = i.event_id OFFSET 0) h
    WHERE o.source NOT LIKE 'row %'
    ORDER BY h.created_at, h.function, h.event_id
    """
  }
}
