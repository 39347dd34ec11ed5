import CLI
import FunctionKit
import Inspection
import Terminal

/// `runner events why`: why an event has not run yet, or what became of it.
struct WhyCommand {
  private let choice: EventChoice

  init(_ words: Words) throws {
    choice = try EventChoice(words)
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
