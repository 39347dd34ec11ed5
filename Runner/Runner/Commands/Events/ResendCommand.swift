import CLI
import Documents
import FunctionKit
import Inspection
import Manifest
import Postgres
import Terminal

/// `runner resend`: an event that has ended is sent again, as a new one.
struct ResendCommand {
  private static let event = Option.text(
    "--event", "FILE|-",
    "send this in its place: what runner export has printed, with other data, partitionkey or actorid. Values that "
      + "functions.json redacts are null there: null keeps them")
  private static let eventID = Option.text(
    "--event-id", "NEW", "the new event's id. If the function has had an event with that id, nothing is sent")

  static let spec = CommandSpec(
    "resend", "send an event that has ended again, as a new one with a new id",
    [EventChoice.operand.required, EventFilter.function, event, eventID, Reply.option],
    notes: """
      The new event carries the old id as replayedfrom. Whole events are kept as
      long as functions.json says (history.payloadHours), dead letters until they are
      retried or purged.
      """, run: { try await Self($0).run() })

  private let choice: EventChoice
  /// The changes of the new event; `nil` if it is the same as the old one.
  private let changed: ChangedEvent?
  /// The new event's id; `nil` for the next number.
  private let newID: String?

  private init(_ arguments: CommandArguments) throws {
    newID = arguments[Self.eventID]
    choice = try EventChoice(arguments)
    if let newID {
      guard newID.wholeMatch(of: /[A-Za-z0-9_-]{1,100}/) != nil else {
        throw FunctionError(.usage, "--event-id takes up to 100 letters, digits, hyphens and underscores.")
      }
    }
    changed = try arguments[Self.event].map { path throws(FunctionError) in try ChangedEvent(at: path) }
  }

  private func run() async throws -> Int32 {
    try await choice.withEvent { event, catalogue in
      guard [.done, .failed, .dead].contains(event.state) else {
        throw FunctionError(.usage, "Event \(event.id) has not ended yet: it is \(event.state.rawValue).")
      }
      guard let entry = catalogue.manifest[event.function] else {
        throw FunctionError(.misconfigured, "functions.json has no function \(event.function) any more.")
      }
      if let newID, try await isThere(newID, of: entry.name, catalogue.database) {
        return try answer(ResendDocument(id: newID, replayedfrom: event.id, function: entry.name, isNew: false))
      }
      if let changed, let document = try await catalogue.document(of: event) { try changed.check(against: document) }
      guard event.code != "TOO_LARGE", let sent = try await resend(event, to: entry, catalogue.database) else {
        throw catalogue.manifest.history.gone(event)
      }
      return try answer(
        ResendDocument(id: sent.id, replayedfrom: event.id, function: entry.name, isNew: sent.isNew))
    }
  }

  private func answer(_ answer: ResendDocument) throws -> Int32 {
    let text =
      answer.isNew
      ? "\(answer.function) gets event \(answer.replayedfrom) again as \(answer.id)"
      : "\(answer.function) has got event \(answer.id) before: nothing was sent"
    return try choice.context.answer(answer, text: text.onOneCleanLine)
  }

  /// The new event; `nil` where the whole event is no longer kept.
  private func resend(
    _ event: EventSummary, to entry: FunctionEntry, _ database: Connection
  ) async throws -> (id: String, isNew: Bool)? {
    let table: SQL = event.state == .dead ? "runner.dead_letters" : "runner.payloads"
    do {
      return try await database.transaction { transaction in
        if let newID {
          // Who sends the same at once waits here, and then sees that it is sent.
          _ = try await transaction.query(
            "SELECT pg_advisory_xact_lock(hashtextextended(\(newID), hashtext(\(entry.name))))")
          guard try await !isThere(newID, of: entry.name, transaction) else { return (newID, false) }
        }
        let number: String? = try await transaction.query(
          """
          SELECT runner.rerun(jsonb_populate_record(NULL::runner.events,
            to_jsonb(e) || jsonb_build_object('function', \(entry.name)::text) || \(changed?.columns(for: entry) ?? "'{}'")),
            \(event.id)) AS id
          FROM (
            SELECT * FROM \(table) AS e WHERE \(EventID(event.id).condition) AND e.function = \(event.function)
            ORDER BY e.at DESC LIMIT 1
          ) AS e
          """
        ).first?.decode("id")
        guard let newID, let place = number.flatMap({ EventID($0).place }) else { return number.map { ($0, true) } }
        _ = try await transaction.query(
          """
          UPDATE runner.events SET event_id = \(newID)
          WHERE partition = \(place.partition)::smallint AND id = \(place.id)::bigint
          """)
        return (newID, true)
      }
    } catch let error as PostgresError where changed != nil && error.isOfData {
      throw FunctionError(
        .invalidEvent, "PostgreSQL cannot hold the event: it has U+0000 or too large a number.", cause: error)
    }
  }

  /// Whether the function has an event with that id, be it waiting or ended.
  private func isThere(_ id: String, of function: String, _ database: some SQLExecutor) async throws -> Bool {
    let tables: [SQL] = ["events", "retries", "dead_letters", "history"]
    let parts = tables.map { table in
      "EXISTS (SELECT FROM runner.\(table) AS e WHERE e.event_id = \(id) AND e.function = \(function))" as SQL
    }
    let any = parts.dropFirst().reduce(parts[0]) { $0 + " OR " + $1 }
    return try await database.query("SELECT \(any) AS found").only().decode("found")
  }
}

extension PostgresError {
  /// Whether the values cannot be stored.
  fileprivate var isOfData: Bool {
    if case .usage = code { return true }
    return sqlState?.hasPrefix("22") == true
  }
}
