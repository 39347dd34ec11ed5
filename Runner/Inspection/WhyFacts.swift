import Documents
import FoundationEssentials
import FunctionKit
package import Manifest
import Metrics
package import Postgres

/// The facts that decide whether an event has run.
package struct WhyFacts {
  /// The lease of the event's partition.
  struct Lease: Equatable {
    /// Whether any partition of the queue is held.
    var isAnyHeld: Bool
    var isHeld: Bool
    /// The holder's name, such as `process 4711`.
    var holder: String?
  }

  /// Earlier events of the same function and key.
  struct Ahead: Equatable {
    var count: Int
    var first: String
  }

  /// The schedule that an id such as `NAME@TIME` names.
  struct Schedule: Equatable {
    var name: String
    var time: Date
    var pausedAt: Date?
    /// Why this occurrence was left out.
    var skipped: String?
  }

  var id: EventID
  /// The events' clock.
  var now: Date
  /// `nil` if there is no such event, or none that is visible.
  var event: EventSummary?
  /// Its function's entry in `functions.json`.
  var entry: FunctionEntry?
  /// The earliest failed event of the same key, if the function holds the key for it.
  var blocker: EventSummary?
  var ahead: Ahead?
  var lease = Lease(isAnyHeld: true, isHeld: true)
  /// The report of this project's runner, if one serves.
  var serving: RunnerReport?
  var schedule: Schedule?
  /// Whether the number was drawn from its partition's sequence; `nil` if the id is no number.
  var isDrawn: Bool?
  var transactions: [OpenTransaction] = []
  /// How many days the history is kept.
  var historyDays = History.usualDays

  /// Gathers the facts of one event.
  ///
  /// - Parameter function: needed if events of several functions have the same id.
  package static func read(
    _ id: EventID, function: String?, of project: Project, _ database: Connection
  ) async throws -> WhyFacts {
    let manifest = project.manifest
    let now: Date = try await database.query("SELECT runner.now() AS now").only().decode("now")
    var facts = WhyFacts(id: id, now: now)
    facts.historyDays = manifest.history.days
    facts.event = try await EventCatalogue(database: database, manifest: manifest)
      .find(id, function: function)
    facts.transactions = try await OpenTransaction.all(database)
    guard let event = facts.event else {
      try await facts.readMissing(database)
      return facts
    }
    facts.entry = manifest[event.function]
    guard let partition = event.partition, let number = event.number, !event.state.isEnded, event.state != .dead else {
      return facts
    }
    facts.lease = try await lease(of: partition, for: event.function, database)
    facts.serving = await RunnerReport.ask(project)
    try await facts.readKey(event, partition, number, database)
    return facts
  }

  /// The partition's lease in the group of runners with the function, else in the group with all functions.
  private static func lease(of partition: Int, for function: String, _ database: Connection) async throws -> Lease {
    let row = try await database.query(
      """
      SELECT l.owner IS NOT NULL AND l.expires_at > clock_timestamp() AS is_held, r.name,
        EXISTS (SELECT 1 FROM runner.leases WHERE owner IS NOT NULL AND expires_at > clock_timestamp()) AS is_any_held
      FROM runner.leases AS l LEFT JOIN runner.runners AS r USING (owner)
      WHERE l.partition = \(partition)
        AND l.grp = coalesce((SELECT o.grp FROM runner.runners AS o WHERE \(function) = ANY (o.functions) LIMIT 1), '')
      """
    ).only()
    return Lease(
      isAnyHeld: try row.decode("is_any_held"), isHeld: try row.decode("is_held"), holder: try row.optional("name"))
  }

  /// Compares keys in the database only, because a key may be a redacted value.
  private mutating func readKey(_ event: EventSummary, _ partition: Int, _ number: Int64, _ database: Connection)
    async throws
  {
    let table: SQL = event.state == .retrying ? "runner.retries" : "runner.events"
    let sameKey: SQL = """
      e.partition = \(partition) AND e.function = \(event.function)
        AND e.key = (SELECT key FROM \(table) WHERE partition = \(partition) AND id = \(number))
      """
    let hidden = entry?.hidesKey == true ? [event.function] : []
    if entry?.onFailure == .block {
      let failed = [EventSummary.State.retrying, .dead].map {
        EventSummary.select($0, where: sameKey, hidingKeysOf: hidden)
      }
      let row = try await database.query("\(failed[0]) UNION ALL \(failed[1]) ORDER BY id LIMIT 1").first
      blocker = try row.map { try EventSummary($0) }.flatMap { $0.number == number ? nil : $0 }
    }
    let row = try await database.query(
      """
      SELECT count(*) AS count, (array_agg(\(EventID.column) ORDER BY e.id))[1] AS first
      FROM runner.events AS e WHERE \(sameKey) AND e.id < \(number)
      """
    ).only()
    let count: Int = try row.decode("count")
    if count > 0, event.state == .waiting { ahead = Ahead(count: count, first: try row.decode("first")) }
  }

  /// Reads what is known of an id that no row has.
  private mutating func readMissing(_ database: Connection) async throws {
    if let place = id.place {
      isDrawn = try await database.query(
        """
        SELECT coalesce(pg_sequence_last_value(to_regclass(\("runner.partition_\(place.partition)"))), 0) >= \(place.id)
          AS is_drawn
        """
      ).only().decode("is_drawn", as: Bool.self)
    }
    guard let at = id.text.lastIndex(of: "@"), let time = RFC3339.date(String(id.text[id.text.index(after: at)...]))
    else { return }
    let name = String(id.text[..<at])
    schedule = try await database.query(
      """
      SELECT s.paused_at, f.skipped FROM runner.schedules AS s
      LEFT JOIN runner.schedule_fires AS f ON f.schedule = s.name AND f.scheduled_time = \(time)
      WHERE s.name = \(name)
      """
    ).first.map { row throws(PostgresError) in
      Schedule(
        name: name, time: time, pausedAt: try row.optional("paused_at"), skipped: try row.optional("skipped"))
    }
  }
}
