import CLI
import FunctionKit
import Inspection
import Manifest
import Postgres

/// `runner resend`: an event that has ended is sent again, as a new one.
struct ResendCommand {
  private let choice: EventChoice

  private struct Answer: Encodable {
    var id: String
    var replayedfrom: String
    var function: String
  }

  init(_ arguments: CommandArguments) throws {
    choice = try EventChoice(arguments)
  }

  func run() async throws -> Int32 {
    try await choice.withEvent { event, catalogue in
      guard [.done, .failed, .dead].contains(event.state) else {
        throw FunctionError(.usage, "Event \(event.id) has not ended yet: it is \(event.state.rawValue).")
      }
      guard let entry = catalogue.manifest.function(everNamed: event.function) else {
        throw FunctionError(.misconfigured, "functions.json has no function \(event.function) any more.")
      }
      guard event.code != "TOO_LARGE", let id = try await resend(event, to: entry.name, catalogue.database) else {
        throw catalogue.manifest.history.gone(event)
      }
      return try choice.context.answer(
        Answer(id: id, replayedfrom: event.id, function: entry.name),
        text: "\(entry.name) gets event \(event.id) again as \(id)")
    }
  }

  /// The new event's id; `nil` where the whole event is no longer kept.
  private func resend(_ event: EventSummary, to function: String, _ database: Connection) async throws -> String? {
    let table: SQL = event.state == .dead ? "runner.dead_letters" : "runner.payloads"
    return try await database.query(
      """
      SELECT runner.rerun(jsonb_populate_record(NULL::runner.events,
        to_jsonb(e) || jsonb_build_object('function', \(function)::text)), \(event.id)) AS id
      FROM (
        SELECT * FROM \(table) AS e WHERE \(EventID(event.id).condition) AND e.function = \(event.function)
        ORDER BY e.at DESC LIMIT 1
      ) AS e
      """
    ).first?.decode("id")
  }
}
