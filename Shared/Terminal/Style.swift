import Glibc

/// Emphasis on a terminal; plain text elsewhere.
public struct Style: Sendable {
  private let isColourful: Bool

  /// Colours, or none.
  public init(isColourful: Bool) {
    self.isColourful = isColourful
  }

  /// Colours on a terminal, unless `NO_COLOR` is set (https://no-color.org) or the terminal is a dumb one.
  public static func current(_ descriptor: Int32 = 1) -> Style {
    Style(
      isColourful: isatty(descriptor) == 1 && variable("NO_COLOR")?.isEmpty ?? true && variable("TERM") != "dumb")
  }

  /// What stands above.
  public func title(_ text: String) -> String { wrapped(text, in: "1") }
  /// What matters less.
  public func faint(_ text: String) -> String { wrapped(text, in: "2") }
  /// What went well.
  public func good(_ text: String) -> String { wrapped(text, in: "32") }
  /// What to look at.
  public func warning(_ text: String) -> String { wrapped(text, in: "33") }
  /// What went wrong.
  public func bad(_ text: String) -> String { wrapped(text, in: "31") }
  /// What to type.
  public func command(_ text: String) -> String { wrapped(text, in: "36") }

  private func wrapped(_ text: String, in code: String) -> String {
    isColourful ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
