import CLI
import FunctionKit
import Glibc
import Lifecycle
import Logging
import Manifest

/// `runner logs`: what the serving runner prints, now and before.
struct LogsCommand {
  private let context: CommandContext
  private let program: String?
  private let follow: Bool
  private let count: Int

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    context = try CommandContext(&arguments)
    follow = arguments.flag("--follow", "-f")
    count = try arguments.number("--count", in: 0...100_000) ?? 100
    program = arguments.operand()
    try arguments.finish()
    if let program { try check(program) }
    try ServingClaim.refuseOthers(context.project)
  }

  func run() async throws -> Int32 {
    var reader = LogReader(directory: context.project.state)
    let last = reader.last(count, where: concerns)
    if last.isEmpty, !follow {
      throw FunctionError(.noInput, "Nothing has been logged yet\(program.map { " by \($0)" } ?? "").")
    }
    guard show(last) else { return 0 }
    while follow {
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
    return text.isEmpty || Console.write(text, to: STDOUT_FILENO)
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
