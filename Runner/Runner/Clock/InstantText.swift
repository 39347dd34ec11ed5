import FoundationEssentials
import FunctionKit

/// Instants as people type and read them.
enum InstantText {
  /// Reads RFC 3339, and shorter forms of it in UTC: `2026-11-29T09:00:00Z`, `2026-11-29 09:00`, `2026-11-29`.
  static func read(_ text: String) throws(FunctionError) -> Date {
    for ending in ["", "Z", ":00Z", "T00:00:00Z"] {
      if let date = RFC3339.date(text + ending) { return date }
    }
    throw FunctionError(.usage, "\"\(text)\" is no instant: write 2026-11-29T09:00:00Z or 2026-11-29 09:00.")
  }

  /// Writes UTC to the second, for a table: `2026-11-29 09:00:00Z`.
  static func show(_ date: Date) -> String {
    let text = RFC3339.string(Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)))
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))Z"
  }
}
