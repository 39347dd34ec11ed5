import Documents
import FunctionKit
import Inspection

/// The acts on dead letters.
enum DeadLetterAct: String, Sendable {
  case retry, purge

  var label: String { self == .retry ? "Retry" : "Purge" }
  var past: String { self == .retry ? "retried" : "purged" }

  /// The command that does it to all that match, by the options that a person would give.
  ///
  /// - Parameter diedBy: the form's instant (``diedBy``).
  /// - Throws: ``FunctionError/Code/usage`` for a filter that the command does not know.
  func command(_ query: EventQuery, diedBy: String? = nil) throws(FunctionError) -> RunnerCommand {
    guard query.filter.cause == nil, query.state == nil || query.state == .dead else {
      throw FunctionError(.usage, "Acts on many go by function, key, code, since, older-than and id only.")
    }
    let filter = query.filter
    var command = start
    for id in filter.ids { command = try command.with(id.text) }
    command = try command.with("--function", filter.function).with("--key", filter.key).with("--code", filter.code)
      .with("--since", filter.since.map { "\(Int($0))s" })
      .with("--older-than", filter.olderThan.map { "\(Int($0))s" }).with(Self.diedBy, diedBy)
    if query.filter.isEmpty { command = command.with(flag: self == .retry ? "--all" : "--dead") }
    return command
  }

  /// The command that does it to some of one function.
  func command(_ ids: [String], of function: String?, diedBy: String?) throws(FunctionError) -> RunnerCommand {
    var command = start
    for id in ids { command = try command.with(id) }
    return try command.with("--function", function).with(Self.diedBy, diedBy)
  }

  /// The field of a form with the instant of the page, and what it becomes: two presses do it once, because an event that
  /// has died again meanwhile is left alone.
  static let field = "died"
  private static let diedBy: StaticString = "--died-by"

  private var start: RunnerCommand {
    var command: RunnerCommand =
      self == .retry ? .changing("events", "retry") : .changing("events", "purge").with(flag: "--yes")
    command.timeLimit = .seconds(300)
    // It says by this that some are gone already: somebody else has been faster.
    command.alsoAnswers = [66]
    return command
  }
}
