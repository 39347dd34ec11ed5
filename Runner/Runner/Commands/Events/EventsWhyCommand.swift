import CLI
import Documents
import FunctionKit
import Inspection
import Terminal

/// `runner events why`, which help does not show: what `runner why` says of an event by itself.
struct EventsWhyCommand {
  private let choice: EventChoice

  init(_ arguments: CommandArguments) throws {
    choice = try EventChoice(arguments)
  }

  func run() async throws -> Int32 {
    let report = try await choice.context.withDatabase { database in
      WhyReport(
        try await WhyFacts.read(
          choice.id, function: choice.function, of: choice.context.project, database))
    }
    return try choice.context.answer(report, text: report.sentences.map(\.onOneCleanLine).joined(separator: "\n"))
  }
}
