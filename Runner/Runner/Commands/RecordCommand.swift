import FunctionKit

/// `runner record`: an event as its function got it, for a fixture.
struct RecordCommand {
  private let context: CommandContext
  private let choice: EventChoice

  init(_ words: Words) throws {
    var words = words
    context = try CommandContext(&words)
    choice = try EventChoice(&words)
    try words.finish()
  }

  func run() async throws -> Int32 {
    try await context.withDatabase { database in
      let catalogue = EventCatalogue(database: database, manifest: context.project.manifest)
      let event = try await catalogue.get(choice.id, function: choice.function)
      guard let document = try await catalogue.document(of: event) else {
        throw context.project.manifest.history.gone(event)
      }
      return Console.say(document.pretty)
    }
  }
}

extension History {
  /// Says that an event that has ended is no longer kept, and why.
  func gone(_ event: EventSummary) -> FunctionError {
    let rule =
      event.code == "TOO_LARGE"
      ? "the change was larger than an event may be"
      : keepsPayloads
        ? "whole events are kept for about \(payloadHours) hours (history.payloadHours in functions.json)"
        : "functions.json says not to keep whole events (history.payloads)"
    return FunctionError(.noInput, "Of event \(event.id) only its outcome is left: \(rule).")
  }
}
