import CLI
import FunctionKit
import Inspection
import Manifest

/// `runner events replay`: dead letters are tried again under their ids.
struct ReplayCommand {
  private let context: CommandContext
  private let filter: EventFilter

  init(_ words: Words) throws {
    var words = words
    context = try CommandContext(&words)
    filter = try EventFilter(deadLetters: &words, all: "--all")
    try words.finish()
  }

  func run() async throws -> Int32 {
    let ids = try await context.withDatabase(statementTimeout: .seconds(600)) {
      try await DeadLetters(database: $0).replay(filter)
    }
    return try DeadLetterReport(verb: "replayed", ids: ids).show(context, filter)
  }
}

extension EventFilter {
  /// Takes the options that choose among the dead letters; at least one must be given.
  init(deadLetters words: inout Words, all flag: String) throws {
    try self.init(&words)
    code = try words.value("--code")
    let isAll = words.flag(flag)
    olderThan = try words.seconds("--older-than")
    ids = words.words().map(EventID.init)
    guard isAll || !isEmpty else {
      throw FunctionError(.usage, "Which dead letters? Give ids, --function F or \(flag); see runner events dead.")
    }
  }
}

/// What was done with dead letters.
struct DeadLetterReport {
  let verb: String
  let ids: [String]

  /// Says how many, and which of the ids asked for were none.
  ///
  /// - Returns: 66 where there was nothing to be done, or not all.
  func show(_ context: CommandContext, _ filter: EventFilter) throws -> Int32 {
    if ids.isEmpty { try filter.checkFunction(context.project.manifest) }
    let missing = filter.ids.map(\.text).filter { !ids.contains($0) }
    try context.answer([verb: ids], text: "\(verb) \(ids.count) dead letter\(ids.count == 1 ? "" : "s")")
    guard ids.isEmpty || !missing.isEmpty else { return 0 }
    let what = missing.isEmpty ? "matches" : "has the id \(missing.joined(separator: ", "))"
    return Console.complain(FunctionError(.noInput, "No dead letter \(what)."))
  }
}
