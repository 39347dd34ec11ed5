/// Text from outside, which must command neither a terminal nor the order in which a person reads it.
extension String {
  /// The text as it may be written to a terminal: lines, and the colours of ``Style``.
  ///
  /// Other control characters become spaces. Marks of direction, which could turn the rest of a line, are left out.
  package var printable: String {
    guard isObeyed(but: "\n") else { return self }
    return split(separator: Style.escape, omittingEmptySubsequences: false).map { String($0).cleaned(keeping: "\n") }
      .joined(separator: "\u{1B}")
  }

  /// The same on one line, for a text that has no lines and colours of ours.
  package var onOneCleanLine: String { isObeyed(but: nil) ? cleaned(keeping: nil) : self }

  /// The text of a JSON document, with escapes in place of what a terminal would obey; it means the same.
  package var escapedInJSON: String {
    guard isObeyed(but: "\n") else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      // A string has none of these, and between tokens they are space.
      case "\r", "\t": text += " "
      case _ where scalar != "\n" && (scalar.isControl || scalar.isMarkOfDirection):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  private func isObeyed(but kept: Unicode.Scalar?) -> Bool {
    unicodeScalars.contains { $0 != kept && ($0.isControl || $0.isMarkOfDirection) }
  }

  private func cleaned(keeping kept: Unicode.Scalar?) -> String {
    let seen = unicodeScalars.lazy.filter { !$0.isMarkOfDirection }
    return String(String.UnicodeScalarView(seen.map { $0 != kept && $0.isControl ? " " : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether it commands a terminal or ends a line.
  fileprivate var isControl: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0x2028...0x2029: true
    default: false
    }
  }

  /// Whether it says in which direction others run (UAX #9).
  fileprivate var isMarkOfDirection: Bool {
    switch value {
    case 0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
