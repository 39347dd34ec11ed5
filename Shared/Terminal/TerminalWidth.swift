import Glibc

/// The width of the terminal that an output goes to.
package enum TerminalWidth {
  /// Its columns: what the terminal says, else the variable `COLUMNS`, else 80; `nil` if the output is not a terminal.
  ///
  /// - Parameter descriptor: standard output unless given.
  package static func current(of descriptor: Int32 = 1, columns variable: String?) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return variable.flatMap(Int.init) ?? 80
  }
}
