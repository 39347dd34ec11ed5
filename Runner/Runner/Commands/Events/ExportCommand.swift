import CLI
import FunctionKit
import Inspection
import Manifest

/// `runner export ID`: an event as its function got it, for a fixture.
enum ExportCommand {
  static func run(_ arguments: CommandArguments) async throws -> Int32 {
    try await EventChoice(arguments).withEvent { event, catalogue in
      guard let document = try await catalogue.document(of: event) else {
        throw catalogue.manifest.history.gone(event)
      }
      return Console.say(document.pretty)
    }
  }
}
