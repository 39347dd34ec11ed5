import CLI
import FunctionKit
import Inspection
import Manifest

/// `runner export`: an event as its function got it, for a fixture.
struct ExportCommand {
  private let choice: EventChoice

  init(_ arguments: CommandArguments) throws {
    choice = try EventChoice(arguments)
  }

  func run() async throws -> Int32 {
    try await choice.withEvent { event, catalogue in
      guard let document = try await catalogue.document(of: event) else {
        throw catalogue.manifest.history.gone(event)
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
