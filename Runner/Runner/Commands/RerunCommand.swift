import FunctionKit
import Postgres

/// `runner rerun`: an event that has ended is sent again, as a new one.
struct RerunCommand {
  private let context: CommandContext
  private let choice: EventChoice

  private struct Answer: Encodable {
    var id: String
    var replayedfrom: String
    var function: String
  }

  init(_ words: Words) throws {
    var words = words
    context = try CommandContext(&words)
    choice = try EventChoice(&words)
    try words.finish()
  }

  func run() async throws -> Int32 {
    try await context.withDatabase { database in
      let event = try await EventCatalogue(database: database, manifest: context.project.manifest)
        .get(choice.id, function: choice.function)
      guard [.done, .failed, .dead].contains(event.state) else {
        throw FunctionError(.usage, "Event \(event.id) has not ended yet: it is \(event.state.rawValue).")
      }
      guard context.project.manifest[event.function] != nil else {
        throw FunctionError(.misconfigured, "functions.json has no function \(event.function) any more.")
      }
      guard event.code != "TOO_LARGE", let id = try await rerun(event, database) else {
        throw context.project.manifest.history.gone(event)
      }
      return try context.answer(
        Answer(id: id, replayedfrom: event.id, function: event.function),
        text: "\(event.function) gets event \(event.id) again as \(id)")
    }
  }

  /// The new event's id; `nil` where the whole event is no longer kept.
  private func rerun(_ event: EventSummary, _ database: Connection) async throws -> String? {
    let table: SQL = event.state == .dead ? "runner.dead_letters" : "runner.payloads"
    return try await database.query(
      """
      SELECT runner.rerun(jsonb_populate_record(NULL::runner.events, to_jsonb(e)), \(event.id)) AS id
      FROM (
        SELECT * FROM \(table) AS e WHERE \(EventID(event.id).condition) AND e.function = \(event.function)
        ORDER BY e.at DESC LIMIT 1
      ) AS e
      """
    ).first?.decode("id")
  }
}
