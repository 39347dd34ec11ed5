package import FunctionKit
import Glibc
import Terminal

/// The output for a person: data on stdout, complaints and logs on stderr.
///
/// Whatever stands in a text commands no terminal: it is written as ``Swift/String/printable``.
package enum TerminalWriter {
  /// Prints a line on stdout.
  @discardableResult
  package static func say(_ text: String) -> Int32 {
    write("\(text)\n", to: STDOUT_FILENO)
    return 0
  }

  /// Prints what goes on, for a person, on stderr.
  package static func note(_ text: String) {
    write("runner: \(text)\n", to: STDERR_FILENO)
  }

  /// Prints what went wrong with a program, and gives the exit status for it.
  package static func complain(_ program: String, _ error: FunctionError) -> Int32 {
    complain(program, reason(of: error))
    return error.code.exitStatus
  }

  /// The failure's words for a person.
  static func reason(of error: FunctionError) -> String {
    // What is unforeseen says nothing by itself to a caller, but a person is told all.
    error.code == .failed ? error.cause.map { "\($0)" } ?? error.message : error.advised.message
  }

  /// Prints what went wrong with a program.
  ///
  /// Further lines are indented, so that none of them looks like another message.
  package static func complain(_ program: String, _ reason: String) {
    let lines = reason.split(separator: "\n", omittingEmptySubsequences: false)
    let rest = lines.dropFirst().map { $0.hasPrefix("  ") ? "\n\($0)" : "\n  \($0)" }.joined()
    write("\(program): \(lines[0])\(rest)\n", to: STDERR_FILENO)
  }

  /// Writes all of it, as it is printable; `false` when the reader has gone away, which need be no matter.
  @discardableResult
  package static func write(_ text: String, to descriptor: Int32) -> Bool {
    StandardStreams.write(Array(text.printable.utf8), to: descriptor)
  }
}
