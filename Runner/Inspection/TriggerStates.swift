import Capture
package import Manifest
package import Postgres
import Queue

/// Whether what makes events is there: triggers on tables, and schedules that the database knows.
package struct TriggerStates: Sendable {
  private let triggers: TriggersInPlace
  private let schedules: [ScheduleEntry]
  /// The schedules that the database knows, and whether they are paused.
  private let known: [String: Bool]

  /// Takes three short queries.
  package init(_ manifest: Manifest, in database: Connection) async throws {
    triggers = try await TriggersInPlace(manifest, on: database)
    schedules = try manifest.schedules()
    let rows = try await database.query(
      "SELECT name, paused_at IS NOT NULL AS is_paused FROM runner.schedules WHERE name = ANY (\(schedules.map(\.name))::text[])"
    )
    known = Dictionary(
      try rows.map { row throws(PostgresError) in (try row.decode("name"), try row.decode("is_paused")) }
    ) { first, _ in first }
  }

  package enum State: Sendable, Equatable {
    case inPlace
    /// A schedule that somebody has paused.
    case paused
    /// Why events are not made.
    case missing(String)
  }

  /// The state of a function's trigger; `nil` where the database has nothing of it, as for HTTP.
  package func state(of trigger: Trigger, for function: String) -> State? {
    switch trigger {
    case .http: return nil
    case .table, .notify: return triggers.problem(of: trigger, for: function).map(State.missing) ?? .inPlace
    case .schedule(let schedule):
      guard let name = schedules.first(where: { $0.function == function && $0.trigger == schedule })?.name else {
        return nil
      }
      switch known[name] {
      case false: return .inPlace
      case true: return .paused
      default: return .missing("the database does not know it yet: a runner that serves makes it known")
      }
    }
  }
}
