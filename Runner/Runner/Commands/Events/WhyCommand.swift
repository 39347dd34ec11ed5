import FunctionKit
import Terminal

/// `runner events why`: why an event has not run yet, or what became of it.
struct WhyCommand {
  private let context: CommandContext
  private let choice: EventChoice

  init(_ words: Words) throws {
    var words = words
    context = try CommandContext(&words)
    choice = try EventChoice(&words)
    try words.finish()
  }

  func run() async throws -> Int32 {
    let report = try await context.withDatabase { database in
      WhyReport(try await WhyFacts.read(choice, context, database))
    }
    return try context.answer(report, text: report.sentences.map(\.onOneCleanLine).joined(separator: "\n"))
  }
}
