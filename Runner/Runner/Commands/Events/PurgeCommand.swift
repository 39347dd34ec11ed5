import CLI
import FunctionKit
import Glibc
import Inspection

/// `runner events purge`: deletes dead letters for good.
struct PurgeCommand {
  private let context: CommandContext
  private let filter: EventFilter
  /// A person who deletes many is asked; a script has thought about it.
  private let limit: Int

  init(_ words: Words) throws {
    var words = words
    context = try CommandContext(&words)
    limit = words.flag("--yes") || isatty(STDIN_FILENO) == 0 ? .max : 1
    filter = try EventFilter(deadLetters: &words, all: "--dead")
    try words.finish()
  }

  func run() async throws -> Int32 {
    let ids = try await context.withDatabase(statementTimeout: .seconds(600)) {
      try await DeadLetters(database: $0).purge(filter, atMost: limit)
    }
    return try DeadLetterReport(verb: "purged", ids: ids).show(context, filter)
  }
}
