import CLI
import Documents
import FunctionKit
import Glibc
import Inspection

/// `runner events purge`: deletes dead letters for good.
struct PurgeCommand {
  private let context: CommandContext
  private let filter: EventFilter
  /// At a terminal, deleting more than one needs `--yes`.
  private let limit: Int

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    context = try CommandContext(&arguments)
    limit = arguments.flag("--yes") || isatty(STDIN_FILENO) == 0 ? .max : 1
    filter = try EventFilter(deadLetters: &arguments, all: "--dead")
    try arguments.finish()
  }

  func run() async throws -> Int32 {
    let ids = try await context.withDatabase(statementTimeout: .seconds(600)) {
      try await DeadLetters(database: $0).purge(filter, atMost: limit)
    }
    return try DeadLetterReport(done: DeadLettersDocument(purged: ids)).show(context, filter)
  }
}
