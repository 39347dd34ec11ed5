/// Text in the columns of a terminal.
extension String {
  /// How many columns it takes; emoji and East Asian wide characters take two.
  package var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The text with spaces added up to a number of columns; longer text stays as it is.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }

  /// Cut between characters to fit, with `…` where something is missing.
  package func shortened(toColumns width: Int) -> String {
    guard columns > width else { return self }
    var room = width - 1
    let kept = prefix { character in
      room -= character.columns
      return room >= 0
    }
    return kept + "…"
  }

  /// Without the spaces at its end.
  package var trimmedAtEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension Character {
  fileprivate var columns: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default:
      let isEmoji = scalar.properties.isEmojiPresentation || unicodeScalars.contains { $0.value == 0xFE0F }
      return isEmoji ? 2 : 1
    }
  }
}
