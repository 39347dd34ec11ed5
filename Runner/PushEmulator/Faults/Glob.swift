/// A pattern for tokens in any case: `*` is any text, `?` is one character.
struct Glob: Sendable, Equatable {
  let text: String
  private let pattern: [UInt8]

  init(_ text: String) {
    self.text = text
    pattern = text.utf8.map(Self.lowercased)
  }

  /// Whether a text is a pattern, not a token.
  static func isPattern(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" } }

  func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var (place, at) = (0, 0)
      var star: (place: Int, at: Int)?
      while at < bytes.count {
        if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
          star = (place, at)
          place += 1
        } else if place < pattern.count,
          pattern[place] == UInt8(ascii: "?") || pattern[place] == Self.lowercased(bytes[at])
        {
          (place, at) = (place + 1, at + 1)
        } else if let last = star {
          star = (last.place, last.at + 1)
          (place, at) = (last.place + 1, last.at + 1)
        } else {
          return false
        }
      }
      return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
