import FoundationEssentials
import FunctionKit
import Glibc
import Terminal

/// Pushes as the lines of a table: number, time, kind, device, title and body.
struct PushTable: Sendable {
  /// The columns of the terminal; `nil` leaves the body whole.
  let width: Int?

  static let heading = ["SEQ", "TIME", "KIND", "DEVICE", "TITLE", "BODY"]

  /// The table's lines, aligned to what is in them.
  func lines(_ pushes: [RawJSON], withHeading: Bool) -> [String] {
    let rows = (withHeading ? [Self.heading] : []) + pushes.map(Self.cells)
    let widths = (0..<5).map { column in
      max(Self.least[column], rows.map { $0[column].columns }.max() ?? 0)
    }
    return rows.map { row in
      let line = zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ") + "  " + row[5]
      return (width.map { line.shortened(toColumns: $0) } ?? line).trimmedAtEnd
    }
  }

  // Wide enough for most, so that lines printed later stand below those printed before.
  private static let least = [4, 8, 18, 8, 18]

  private static func cells(_ push: RawJSON) -> [String] {
    let payload = push["payload"]
    let alert = payload?["aps"]?["alert"] ?? payload?["notification"] ?? payload?["android"]?["notification"]
    let status = push["status"]?.intValue
    let refusal = status == 200 ? nil : "[\(status.map { "\($0) " } ?? "")\(push["reason"]?.stringValue ?? "")] "
    let cells = [
      (push["seq"]?.intValue).map { "\($0)" } ?? "", clock(push["receivedAt"]?.stringValue),
      push["kind"]?.stringValue ?? "",
      String((push["token"]?.stringValue ?? "").prefix(8)), alert?["title"]?.stringValue ?? "",
      (refusal ?? "") + (alert?["body"]?.stringValue ?? alert?.stringValue ?? ""),
    ]
    return cells.map(\.onOneCleanLine)
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
