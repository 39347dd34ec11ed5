import CLI
import FunctionKit
import Glibc

/// The question before a command deletes what nobody can bring back, and the option that answers it.
struct Consent {
  private let isSure: Bool

  static let option = Flag("--yes", "do not ask; needed without a terminal")

  init(_ arguments: CommandArguments) {
    isSure = arguments[Self.option]
  }

  /// Whether `--yes` was given, or the person at the terminal says yes.
  ///
  /// - Throws: if there is no terminal and `--yes` was not given.
  func isGiven(to sentence: String, _ things: [String]) throws(FunctionError) -> Bool {
    guard !isSure else { return true }
    guard isatty(STDIN_FILENO) == 1 else {
      throw FunctionError(.usage, "\(sentence) \(things.joined(separator: ", ")): say --yes.")
    }
    TerminalWriter.write("\(sentence)\n\(things.map { "  \($0)\n" }.joined())Go on? [y/N] ", to: STDERR_FILENO)
    let answer = ["y", "yes"].contains(readLine()?.lowercased())
    if !answer { TerminalWriter.note("Nothing was deleted.") }
    return answer
  }
}
