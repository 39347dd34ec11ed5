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
