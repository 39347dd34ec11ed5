import CLI
import FunctionKit
import Inspection
import Manifest

/// `runner export ID`: an event as its function got it, for a fixture.
enum ExportCommand {
  static let asTest = Flag(
    "--as-test", "with the rows that it was decided by and what was decided: a file for runner test")

  static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let choice = try EventChoice(arguments)
    return try await choice.withEvent { event, catalogue in
      guard let document = try await catalogue.document(of: event) else {
        throw catalogue.manifest.history.gone(event)
      }
      guard arguments[asTest] else { return TerminalWriter.say(document.pretty) }
      return TerminalWriter.say(
        try await EventTestExport.document(of: event, body: document, catalogue.database, choice.context.project).pretty
      )
    }
  }
}
