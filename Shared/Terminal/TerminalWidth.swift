import Glibc

/// The width of the terminal that standard output goes to.
public enum TerminalWidth {
  /// Its columns: what the terminal says, else what the variable `COLUMNS` says, else 80; `nil` where it is no terminal.
  public static func current(columns variable: String?) -> Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return variable.flatMap(Int.init) ?? 80
  }
}
