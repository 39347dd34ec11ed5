import CLI
import Documents
import FunctionKit
import Inspection
import Manifest

/// The one event that a command is about.
struct EventChoice {
  let context: CommandContext
  let id: EventID
  /// Needed if events of several functions have the same id.
  let function: String?

  static let operand = Operand(
    "ID",
    "PARTITION.NUMBER of the list, or the id that it came with; behind all options and -- it may begin with a hyphen")

  init(_ arguments: CommandArguments) throws {
    context = try CommandContext(arguments)
    function = arguments[EventFilter.function]
    guard let text = arguments.operand else { throw FunctionError(.usage, "Which event? See runner events list.") }
    id = EventID(text)
  }

  /// Finds the event, and passes it and its catalogue to the body.
  ///
  /// - Throws: also if there is no such event.
  func withEvent<Answer>(_ body: (EventSummary, EventCatalogue) async throws -> Answer) async throws -> Answer {
    try await context.withDatabase { database in
      let catalogue = EventCatalogue(database: database, manifest: context.project.manifest)
      return try await body(try await catalogue.get(id, function: function), catalogue)
    }
  }
}
