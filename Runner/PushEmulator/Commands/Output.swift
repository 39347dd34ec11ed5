import Emulation
import FunctionKit
import Glibc
import Terminal

/// Where a command prints its result.
struct Output: Sendable {
  /// Columns of the terminal; `nil` where it is none.
  let width: Int?
  let write: @Sendable (String) -> Void

  /// This process's stdout.
  static func standard(_ environment: Environment) -> Output {
    Output(width: TerminalWidth.current(columns: environment["COLUMNS"])) { text in
      // A reader that left is no error: SIGPIPE ends the process.
      try? Files.write(Array(text.utf8), to: STDOUT_FILENO, path: "stdout")
    }
  }
}
