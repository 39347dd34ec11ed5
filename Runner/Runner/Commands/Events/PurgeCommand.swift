import CLI
import Documents
import FunctionKit
import Glibc
import Inspection

/// `runner events purge`: deletes dead letters for good.
enum PurgeCommand {
  private static let dead = Flag("--dead", "every dead letter")

  static let spec = CommandSpec(
    "purge", "delete dead letters for good",
    EventFilter.deadLetters(dead, Consent.option.saying("delete more than one without being asked")), run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    let filter = try EventFilter(deadLetters: arguments, all: dead)
    // At a terminal, deleting more than one needs `--yes`.
    let limit = arguments[Consent.option] || isatty(STDIN_FILENO) == 0 ? Int.max : 1
    let ids = try await context.withDatabase(statementTimeout: .seconds(600)) {
      try await DeadLetters(database: $0).purge(filter, atMost: limit)
    }
    return try DeadLetterReport(done: DeadLettersDocument(purged: ids)).show(context, filter)
  }
}
