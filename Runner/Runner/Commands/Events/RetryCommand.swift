import CLI
import Documents
import FunctionKit
import Inspection
import Manifest

/// `runner events retry`: dead letters are tried again under their ids.
enum RetryCommand {
  private static let all = Flag("--all", "every dead letter")

  static let spec = CommandSpec(
    "retry", "dead letters are tried again under their ids, from the start", EventFilter.deadLetters(all), run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    let filter = try EventFilter(deadLetters: arguments, all: all)
    let ids = try await context.withDatabase(statementTimeout: .seconds(600)) {
      try await DeadLetters(database: $0).retry(filter)
    }
    return try DeadLetterReport(done: DeadLettersDocument(retried: ids)).show(context, filter)
  }
}

extension EventFilter {
  /// The form of a command that chooses among the dead letters.
  static func deadLetters(_ flags: any Parameter...) -> Form {
    let choice: [any Parameter] = [EventChoice.operand.repeated, function, code, key, since, olderThan, diedBy]
    return Form(choice + flags + [Reply.option])
  }

  /// Reads what chooses among the dead letters; something must.
  init(deadLetters arguments: CommandArguments, all flag: Flag) throws {
    self.init(arguments)
    ids = arguments.operands.map(EventID.init)
    guard arguments[flag] || !isEmpty else {
      throw FunctionError(
        .usage, "Which dead letters? Give ids, --function F or \(flag.name); see runner events dead.")
    }
  }
}

/// The report on dead letters that were retried or purged.
struct DeadLetterReport {
  let done: DeadLettersDocument

  /// Says how many, and which of the ids asked for were none.
  ///
  /// - Returns: 66 where there was nothing to be done, or not all.
  func show(_ context: CommandContext, _ filter: EventFilter) throws -> Int32 {
    let ids = done.ids
    if ids.isEmpty { try filter.checkFunction(context.project.manifest) }
    let missing = filter.ids.map(\.text).filter { !ids.contains($0) }
    let verb = done.retried == nil ? "purged" : "retried"
    try context.answer(done, text: "\(verb) \(ids.count) dead letter\(ids.count == 1 ? "" : "s")")
    guard ids.isEmpty || !missing.isEmpty else { return 0 }
    let what = missing.isEmpty ? "matches" : "has the id \(missing.joined(separator: ", "))"
    return TerminalWriter.complain(FunctionError(.noInput, "No dead letter \(what)."))
  }
}
