import CLI
import Documents
import FunctionKit
import Inspection
import Terminal

/// `runner events why`, which help does not show: what `runner why` says of an event by itself.
enum EventsWhyCommand {
  static let spec = CommandSpec(
    "why", "why an event has not run yet, or what became of it",
    [EventChoice.operand.required, EventFilter.function, Reply.option], run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let choice = try EventChoice(arguments)
    let report = try await choice.context.withDatabase { database in
      WhyReport(
        try await WhyFacts.read(
          choice.id, function: choice.function, of: choice.context.project, database))
    }
    return try choice.context.answer(report, text: report.sentences.map(\.onOneCleanLine).joined(separator: "\n"))
  }
}
