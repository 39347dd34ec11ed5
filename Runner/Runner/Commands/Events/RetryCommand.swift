import CLI
import Documents
import FunctionKit
import Inspection
import Manifest

/// `runner events retry`: dead letters are tried again under their ids.
struct RetryCommand {
  private let context: CommandContext
  private let filter: EventFilter

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    context = try CommandContext(&arguments)
    filter = try EventFilter(deadLetters: &arguments, all: "--all")
    try arguments.finish()
  }

  func run() async throws -> Int32 {
    let ids = try await context.withDatabase(statementTimeout: .seconds(600)) {
      try await DeadLetters(database: $0).retry(filter)
    }
    return try DeadLetterReport(done: DeadLettersDocument(retried: ids)).show(context, filter)
  }
}

extension EventFilter {
  /// Takes the options that choose among the dead letters; at least one must be given.
  init(deadLetters arguments: inout CommandArguments, all flag: String) throws {
    try self.init(&arguments)
    code = try arguments.value("--code")
    let isAll = arguments.flag(flag)
    olderThan = try arguments.seconds("--older-than")
    diedBy = try arguments.date("--died-by")
    ids = arguments.operands().map(EventID.init)
    guard isAll || !isEmpty else {
      throw FunctionError(.usage, "Which dead letters? Give ids, --function F or \(flag); see runner events dead.")
    }
  }
}

/// What was done with dead letters.
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
    return Console.complain(FunctionError(.noInput, "No dead letter \(what)."))
  }
}
