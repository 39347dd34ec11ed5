import FunctionKit
import Glibc

/// Emphasis on a terminal; plain text elsewhere.
struct Style: Sendable {
  let isColourful: Bool

  /// Colours on a terminal, unless `NO_COLOR` is set (https://no-color.org) or the terminal is a dumb one.
  static func standard(_ environment: Environment) -> Style {
    Style(
      isColourful: isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb")
  }

  func title(_ text: String) -> String { wrapped(text, in: "1") }
  func faint(_ text: String) -> String { wrapped(text, in: "2") }
  func good(_ text: String) -> String { wrapped(text, in: "32") }
  func bad(_ text: String) -> String { wrapped(text, in: "31") }

  private func wrapped(_ text: String, in code: String) -> String {
    isColourful ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
