import FunctionKit

/// A length of time as people type it: `90s`, `15m`, `36h`, `8d`, `2w`, `1d12h`.
///
/// A day has 24 hours, whatever the clocks of a country do meanwhile.
struct ClockSpan: Equatable {
  let seconds: Int

  /// - Throws: where the text is anything else, or longer than a hundred years.
  init(_ text: String) throws(FunctionError) {
    var total = 0
    var rest = text[...]
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      guard digits.count <= 10, let count = Int(digits), let unit = rest.popFirst().flatMap({ Self.units[$0] }) else {
        throw Self.unreadable(text)
      }
      total += count * unit
    }
    guard (1...Self.longest).contains(total) else { throw Self.unreadable(text) }
    seconds = total
  }

  init(seconds: Int) {
    self.seconds = seconds
  }

  /// The largest units that fit: `8d`, `1d12h`.
  var text: String {
    var (parts, rest) = ("", seconds)
    for (name, length) in Self.units.sorted(by: { $0.value > $1.value }) where name != "w" {
      if rest >= length { parts += "\(rest / length)\(name)" }
      rest %= length
    }
    return parts.isEmpty ? "0s" : parts
  }

  private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
  private static let longest = 100 * 366 * 86_400

  private static func unreadable(_ text: String) -> FunctionError {
    FunctionError(.usage, "\"\(text)\" is no length of time: write 90s, 15m, 36h, 8d or 1d12h.")
  }
}
