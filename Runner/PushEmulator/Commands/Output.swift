import FunctionKit
import Glibc

/// Where a command prints its result.
struct Output: Sendable {
  /// Columns of the terminal; `nil` where it is none.
  let width: Int?
  let write: @Sendable (String) -> Void

  /// This process's stdout.
  static func standard(_ environment: Environment) -> Output {
    Output(width: terminalWidth(environment)) { text in
      // A reader that left is no error: SIGPIPE ends the process.
      try? Files.write(Array(text.utf8), to: STDOUT_FILENO, path: "stdout")
    }
  }

  private static func terminalWidth(_ environment: Environment) -> Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return environment["COLUMNS"].flatMap(Int.init) ?? 80
  }
}
