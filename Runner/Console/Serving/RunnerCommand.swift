package import FunctionKit
import Workers

/// A command as a person could type it behind `runner`, whose `--json` is a page's data.
///
/// Text that somebody has entered can become an operand or the value of an option, and never an option itself.
package struct RunnerCommand: Sendable {
  package private(set) var words: [String]
  /// Operands that begin with a hyphen, which stand behind `--`.
  private var plain: [String] = []
  /// Whether it is the runner's own, and so knows `--`.
  private var isOwn = true
  /// Whether it changes anything: a console that is read-only does not run it.
  package let changes: Bool
  /// Exit statuses besides 0 with which it answers, too.
  var alsoAnswers: Set<Int32> = []
  /// The bytes that it reads on stdin.
  package var input: [UInt8] = []
  package var timeLimit = Duration.seconds(20)
  /// Whether it knows `--json`; else it answers with JSON anyway.
  var asksForJSON = true
  /// Whether it has changed nothing where it fails, so that a form may ask for it again.
  var failsWhole = true
  /// Whether it writes a document a line.
  var writesLines = false

  private init(_ words: [StaticString], changes: Bool) {
    self.words = words.map { "\($0)" }
    self.changes = changes
  }

  package static func reading(_ words: StaticString...) -> RunnerCommand { RunnerCommand(words, changes: false) }

  package static func changing(_ words: StaticString...) -> RunnerCommand { RunnerCommand(words, changes: true) }

  /// A command of the bundle's own, as `functions.json` writes it.
  package static func ofBundle(_ words: [String], changes: Bool) -> RunnerCommand {
    var command = RunnerCommand([], changes: changes)
    (command.words, command.isOwn) = (words, false)
    return command
  }

  /// The same with another operand.
  ///
  /// - Throws: ``FunctionError/Code/usage`` for a text that would be taken for an option.
  package func with(_ operand: String) throws(FunctionError) -> RunnerCommand {
    guard isOwn, operand.hasPrefix("-"), !operand.utf8.contains(0) else { return try appending(operand) }
    var command = self
    command.plain.append(operand)
    return command
  }

  /// The same with an option; without a value it stays as it is.
  package func with(_ option: StaticString, _ value: String?) throws(FunctionError) -> RunnerCommand {
    guard let value else { return self }
    return try with(flag: option).appending(value)
  }

  private func appending(_ value: String) throws(FunctionError) -> RunnerCommand {
    guard !value.hasPrefix("-"), !value.isEmpty, !value.utf8.contains(0) else {
      throw FunctionError(.usage, "A value begins with no hyphen, is not empty, and has no null.")
    }
    var command = self
    command.words.append(value)
    return command
  }

  package func with(flag: StaticString) -> RunnerCommand {
    var command = self
    command.words.append("\(flag)")
    return command
  }

  /// All its words, for a project and the folder of its runner.
  func line(_ project: String, state: String) -> [String] {
    words + (asksForJSON ? ["--json"] : []) + ["--project", project, "--state-dir", state]
      + (plain.isEmpty ? [] : ["--"] + plain)
  }

  /// The words of a command of the bundle's own that reads nothing from stdin and changes nothing; `nil` of another one.
  var question: [String]? {
    isOwn || changes || !input.isEmpty ? nil : words + (asksForJSON ? ["--json"] : [])
  }

  /// How a person begins it.
  package var name: String { "runner \(words.prefix(2).joined(separator: " "))" }

  func document(_ output: [UInt8]) -> RawJSON? {
    guard writesLines else { return try? RawJSON(validating: output[...]) }
    let lines = output.split(separator: UInt8(ascii: "\n")).map { try? RawJSON(validating: $0) }
    return lines.contains { $0 == nil } ? nil : RawJSON(array: lines.compactMap(\.self))
  }

  /// The failure of a run, with the words of the command.
  func failure(_ run: CommandRun) -> FunctionError {
    if run.timedOut {
      let doubt = failsWhole ? "" : " It may have changed something."
      return FunctionError(.unavailable, "\(name) took longer than \(timeLimit.components.seconds) s.\(doubt)")
    }
    let lines = run.complaint.split(whereSeparator: \.isNewline)
    let text = lines.last.map(String.init) ?? "\(name) has failed."
    let code = run.status.flatMap { status in FunctionError.Code.allCases.first { $0.exitStatus == status } }
    return FunctionError(code ?? .failed, text.hasPrefix("runner: ") ? String(text.dropFirst(8)) : text)
  }
}
