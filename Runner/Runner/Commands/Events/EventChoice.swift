import CLI
import FunctionKit
import Inspection
import Manifest

/// The one event that a command is about.
struct EventChoice {
  let context: CommandContext
  let id: EventID
  /// Needed where events of several functions have the same id.
  let function: String?

  init(_ words: Words) throws {
    var words = words
    context = try CommandContext(&words)
    function = try words.value("--function")
    guard let text = words.word() else { throw FunctionError(.usage, "Which event? See runner events list.") }
    id = EventID(text)
    try words.finish()
  }

  /// Lends the event and the catalogue that it was found in.
  ///
  /// - Throws: also when there is no such event.
  func withEvent<Answer>(_ body: (EventSummary, EventCatalogue) async throws -> Answer) async throws -> Answer {
    try await context.withDatabase { database in
      let catalogue = EventCatalogue(database: database, manifest: context.project.manifest)
      return try await body(try await catalogue.get(id, function: function), catalogue)
    }
  }
}
