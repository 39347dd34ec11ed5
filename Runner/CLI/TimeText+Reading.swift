package import FoundationEssentials
package import FunctionKit

extension TimeText {
  /// Reads RFC 3339, and shorter forms of it in UTC: `2026-11-29T09:00:00Z`, `2026-11-29 09:00`, `2026-11-29`.
  package static func date(_ text: String) throws(FunctionError) -> Date {
    for ending in ["", "Z", ":00Z", "T00:00:00Z"] {
      if let date = RFC3339.date(text + ending) { return date }
    }
    throw FunctionError(.usage, "\"\(text)\" is no instant: write 2026-11-29T09:00:00Z or 2026-11-29 09:00.")
  }

  /// Reads a length of time: `90s`, `15m`, `36h`, `8d`, `2w`, `1d12h`; a day has 24 hours, whatever the clocks of a
  /// country do meanwhile.
  ///
  /// - Throws: where the text is anything else, or longer than a hundred years.
  package static func seconds(_ text: String) throws(FunctionError) -> Double {
    var total = 0
    var rest = text[...]
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      guard digits.count <= 10, let count = Int(digits), let unit = rest.popFirst().flatMap({ units[$0] }) else {
        throw unreadable(text)
      }
      total += count * unit
      guard total <= longest else { throw unreadable(text) }
    }
    guard total > 0 else { throw unreadable(text) }
    return Double(total)
  }

  private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
  private static let longest = 100 * 366 * 86_400

  private static func unreadable(_ text: String) -> FunctionError {
    FunctionError(.usage, "\"\(text)\" is no length of time: write 90s, 15m, 36h, 8d, 2w or 1d12h.")
  }
}
