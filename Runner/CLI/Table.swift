import FunctionKit
import Terminal

/// Rows in aligned columns, as wide as the terminal allows.
package struct Table {
  /// No column is made narrower than this.
  private static let least = 6
  /// A column that is cut to less than this says little: then others are left out instead.
  private static let comfortable = 14

  private var rows: [[String]]
  private let width: Int?
  private let flexible: [String]
  private let dispensable: [String]

  /// - Parameters:
  ///   - flexible: the columns that may be cut where the table is too wide; all but the first where none is named.
  ///   - dispensable: the columns that are left out where it is much too wide, one after the other.
  ///   - width: the columns of the terminal; `nil` cuts nothing.
  package init(
    _ header: [String], flexible: [String] = [], dispensable: [String] = [],
    width: Int? = TerminalWidth.current(columns: Environment.current()["COLUMNS"])
  ) {
    rows = [header]
    self.width = width
    self.flexible = flexible.isEmpty ? Array(header.dropFirst()) : flexible
    self.dispensable = dispensable
  }

  package mutating func add(_ row: [String]) {
    rows.append(row.map(\.onOneCleanLine))
  }

  /// The lines, without trailing space.
  package var text: String {
    let (rows, widths) = fitting
    return rows.map { row in
      let line = zip(row, widths).map { $0.shortened(toColumns: $1).padded(to: $1) }.joined(separator: "  ")
        .trimmedAtEnd
      return width.map { line.shortened(toColumns: $0) } ?? line
    }.joined(separator: "\n")
  }

  /// The columns that there is room for, and how wide they are.
  ///
  /// The columns as wide as their cells; if that is too much, the widest flexible one gives way, again and again.
  private var fitting: (rows: [[String]], widths: [Int]) {
    guard let width else { return (rows, Self.widths(rows)) }
    var rows = rows
    for name in dispensable where least(rows) > width {
      guard let index = rows[0].firstIndex(of: name) else { continue }
      for row in rows.indices { rows[row].remove(at: index) }
    }
    var widths = Self.widths(rows)
    let mayShrink = rows[0].indices.filter { flexible.contains(rows[0][$0]) }
    while Self.sum(widths) > width, let widest = mayShrink.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.least
    {
      widths[widest] -= 1
    }
    return (rows, widths)
  }

  /// How narrow the table can be without a column that says little.
  private func least(_ rows: [[String]]) -> Int {
    let widths = zip(rows[0], Self.widths(rows)).map { name, width in
      flexible.contains(name) ? min(width, Self.comfortable) : width
    }
    return Self.sum(widths)
  }

  private static func widths(_ rows: [[String]]) -> [Int] {
    rows.reduce(into: [Int](repeating: 0, count: rows[0].count)) { widths, row in
      for (index, cell) in row.enumerated() { widths[index] = max(widths[index], cell.columns) }
    }
  }

  private static func sum(_ widths: [Int]) -> Int { widths.reduce(2 * (widths.count - 1), +) }
}
