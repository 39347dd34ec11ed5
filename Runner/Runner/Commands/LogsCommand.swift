import CLI
import FunctionKit
import Glibc
import Lifecycle
import Logging
import Manifest

/// `runner logs`: what the serving runner prints, now and before.
struct LogsCommand {
  private static let follow = Flag("--follow", "go on with what is logged from now on, until Ctrl-C", alias: "-f")
  private static let count = Option.number("--count", "N", in: 0...100_000, "how many of the latest lines (100)")
  private static let function = Operand(
    "FUNCTION", "lines of or about this function or service only; \"runner\" for the runner's own")

  static let spec = CommandSpec(
    "logs", "what the serving runner and its functions have logged",
    [function.offering(.programs), follow, count, Reply.option.saying("one JSON object a line, also on a terminal")],
    notes: "exit: 78 another project's runner serves from the state folder."
  ) { arguments in
    let command = Self(context: try CommandContext(arguments), program: arguments.operand)
    return try await command.run(arguments)
  }

  private let context: CommandContext
  private let program: String?

  private func run(_ arguments: CommandArguments) async throws -> Int32 {
    if let program { try check(program) }
    try ServingClaim.refuseOthers(context.project)
    var reader = LogReader(directory: context.project.state)
    let last = reader.last(arguments[Self.count] ?? 100, where: concerns)
    if last.isEmpty, !arguments[Self.follow] {
      throw FunctionError(.noInput, "Nothing has been logged yet\(program.map { " by \($0)" } ?? "").")
    }
    guard show(last) else { return 0 }
    while arguments[Self.follow] {
      try await Task.sleep(for: .milliseconds(200))
      guard show(reader.next().filter(concerns)) else { return 0 }
    }
    return 0
  }

  private func concerns(_ line: LogLine) -> Bool { program.map(line.concerns) ?? true }

  /// Returns `false` when the reader of stdout is gone.
  private func show(_ lines: [LogLine]) -> Bool {
    let isForPeople = !context.answer.json && isatty(STDOUT_FILENO) == 1
    let text = lines.map { "\(isForPeople ? $0.readable : $0.whole)\n" }.joined()
    return text.isEmpty || TerminalWriter.write(text, to: STDOUT_FILENO)
  }

  private func check(_ program: String) throws {
    let manifest = context.project.manifest
    let known = manifest.functions.map(\.name) + manifest.services.map(\.name) + ["runner"]
    guard known.contains(program) else {
      let near = Suggestion.phrase(for: program, among: known)
      throw FunctionError(.usage, "There is no function or service \(program);\(near) see runner list.")
    }
  }
}
