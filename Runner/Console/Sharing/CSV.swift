/// A table as RFC 4180 writes it, in UTF-8: a line of names, then a line for each row, which end with CR and LF.
///
/// Every field stands in quotes, whatever a spreadsheet takes for a separator.
package struct CSV: Sendable, Equatable {
  package private(set) var text: String

  /// - Parameter columns: the name of each, and its field in a row; `nil` is an empty one.
  package init<Row>(_ rows: some Sequence<Row>, _ columns: [(name: String, field: (Row) -> String?)]) {
    text = Self.line(columns.map(\.name))
    for row in rows { text += Self.line(columns.map { $0.field(row) ?? "" }) }
  }

  private static func line(_ fields: [String]) -> String {
    fields.map { "\"\(doubled(guarded($0)))\"" }.joined(separator: ",") + "\r\n"
  }

  /// The text with each quote twice: by scalars, because a quote and what combines with it are another character.
  private static func doubled(_ text: String) -> String {
    var field = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      field.append(scalar)
      if scalar == "\"" { field.append(scalar) }
    }
    return String(field)
  }

  /// The text, which no spreadsheet takes for a formula: an apostrophe stands before what would begin one.
  private static func guarded(_ text: String) -> String {
    guard let first = text.unicodeScalars.first, formulaStarts.contains(first) else { return text }
    return "'\(text)"
  }

  /// The letters with which a formula begins in some spreadsheet; the wide forms are those of East Asian input.
  private static let formulaStarts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]
}
