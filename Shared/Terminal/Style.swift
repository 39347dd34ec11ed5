import Glibc

/// Emphasis on a terminal; plain text elsewhere.
///
/// It takes effect where the text is written as ``Swift/String/printable``.
package struct Style: Sendable {
  /// The scalar that stands for the escape character until the text is written.
  ///
  /// No text from outside has it, because nobody outside knows the number.
  static let escape = "\u{1B}\(UInt64.random(in: .min ... .max))"
  /// Empties the present line of a terminal, for text that takes its place.
  package static let emptyLine = "\(escape)[G\(escape)[K"

  private let isColourful: Bool

  /// Colours, or none.
  package init(isColourful: Bool) {
    self.isColourful = isColourful
  }

  /// Colours on a terminal, unless `NO_COLOR` is set (https://no-color.org) or `TERM` is `dumb`.
  package static func current(_ descriptor: Int32 = 1) -> Style {
    Style(
      isColourful: isatty(descriptor) == 1 && variable("NO_COLOR")?.isEmpty ?? true && variable("TERM") != "dumb")
  }

  /// A heading.
  package func title(_ text: String) -> String { wrapped(text, in: "1") }
  /// Text that matters less.
  package func faint(_ text: String) -> String { wrapped(text, in: "2") }
  /// Text about success.
  package func good(_ text: String) -> String { wrapped(text, in: "32") }
  /// Text that somebody should look at.
  package func warning(_ text: String) -> String { wrapped(text, in: "33") }
  /// Text about a failure.
  package func bad(_ text: String) -> String { wrapped(text, in: "31") }
  /// Text that somebody can type.
  package func command(_ text: String) -> String { wrapped(text, in: "36") }

  private func wrapped(_ text: String, in code: String) -> String {
    isColourful ? "\(Self.escape)[\(code)m\(text)\(Self.escape)[0m" : text
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
