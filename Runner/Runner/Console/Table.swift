import FunctionKit
import Terminal

/// Rows in aligned columns, as wide as the terminal allows.
struct Table {
  /// No column is made narrower than this.
  private static let least = 6

  private var rows: [[String]]
  private let width: Int?
  private let flexible: [String]

  /// - Parameters:
  ///   - flexible: the columns that may be cut where the table is too wide; all but the first where none is named.
  ///   - width: the columns of the terminal; `nil` cuts nothing.
  init(
    _ header: [String], flexible: [String] = [],
    width: Int? = TerminalWidth.current(columns: Environment.current()["COLUMNS"])
  ) {
    rows = [header]
    self.width = width
    self.flexible = flexible.isEmpty ? Array(header.dropFirst()) : flexible
  }

  mutating func add(_ row: [String]) {
    rows.append(row.map(\.onOneCleanLine))
  }

  /// The lines, without trailing space.
  var text: String {
    let widths = widths
    return rows.map { row in
      let line = zip(row, widths).map { $0.shortened(toColumns: $1).padded(to: $1) }.joined(separator: "  ")
        .trimmedAtEnd
      return width.map { line.shortened(toColumns: $0) } ?? line
    }.joined(separator: "\n")
  }

  /// As wide as their cells; where that is too much, the widest flexible one gives way, again and again.
  private var widths: [Int] {
    var widths = rows.reduce(into: [Int](repeating: 0, count: rows[0].count)) { widths, row in
      for (index, cell) in row.enumerated() { widths[index] = max(widths[index], cell.columns) }
    }
    guard let width else { return widths }
    let mayShrink = rows[0].indices.filter { flexible.contains(rows[0][$0]) }
    while widths.reduce(2 * (widths.count - 1), +) > width,
      let widest = mayShrink.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.least
    {
      widths[widest] -= 1
    }
    return widths
  }
}
