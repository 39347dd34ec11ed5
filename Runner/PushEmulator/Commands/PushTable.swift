import FoundationEssentials
import FunctionKit
import Glibc
import Terminal

/// Pushes as the lines of a table: number, time, kind, device, title and body.
struct PushTable: Sendable {
  /// The terminal's columns; with `nil` the body stays whole.
  var width = TerminalWidth.current(columns: Environment.current()["COLUMNS"])

  private static let heading = ["seq", "time", "kind", "device", "title", "body"]

  /// The table's lines, aligned by their content.
  func lines(_ pushes: [RawJSON], withHeading: Bool) -> [String] {
    let rows = ((withHeading ? [Self.heading] : []) + pushes.map(Self.cells)).map { row in columns.map { row[$0] } }
    let widths = columns.enumerated().dropLast().map { place, column in
      let widest = max(Self.least[column], rows.map { $0[place].columns }.max() ?? 0)
      return min(widest, most(column))
    }
    return rows.map { row in
      let line =
        zip(row, widths).map { $0.shortened(toColumns: $1).padded(to: $1) }.joined(separator: "  ") + "  "
        + (row.last ?? "")
      return (width.map { line.shortened(toColumns: $0) } ?? line).trimmedAtEnd
    }
  }

  // Only the width counts, so that later lines have the same columns.
  private var columns: [Int] {
    switch width ?? .max {
    case 100...: [0, 1, 2, 3, 4, 5]
    case 60...: [0, 1, 3, 4, 5]
    default: [0, 4, 5]
    }
  }

  // Wide enough for most, so that later lines are aligned with earlier ones.
  private static let least = [4, 8, 18, 8, 18]

  // The body begins where the terminal still has room for it.
  private func most(_ column: Int) -> Int {
    guard let width else { return .max }
    return column == 4 ? max(18, min(28, width / 3)) : 26
  }

  private static func cells(_ push: RawJSON) -> [String] {
    let payload = push["payload"]
    let alert = payload?["aps"]?["alert"] ?? payload?["notification"] ?? payload?["android"]?["notification"]
    let status = push["status"]?.intValue
    let refusal = status == 200 ? nil : "[\(status.map { "\($0) " } ?? "")\(push["reason"]?.stringValue ?? "")] "
    let cells = [
      (push["seq"]?.intValue).map { "\($0)" } ?? "", clock(push["receivedAt"]?.stringValue),
      push["kind"]?.stringValue ?? "",
      String(((push["channel"] ?? push["token"])?.stringValue ?? "").prefix(8)), alert?["title"]?.stringValue ?? "",
      (refusal ?? "") + (alert?["body"]?.stringValue ?? alert?.stringValue ?? silent(payload)),
    ]
    return cells.map(\.onOneCleanLine)
  }

  /// The effect of a push without a text.
  private static func silent(_ payload: RawJSON?) -> String {
    payload?["aps"]?["badge"]?.intValue.map { "(badge \($0))" } ?? ""
  }

  /// The local time of day.
  private static func clock(_ text: String?) -> String {
    guard let date = text.flatMap(RFC3339.date) else { return "" }
    var seconds = time_t(date.timeIntervalSince1970)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
