import Formats

extension String {
  /// The text for HTML, as content or as a value in quotes.
  ///
  /// Characters that a page must not have, or that turn the direction of what stands around them, are shown instead of
  /// being obeyed: a null as `␀`, an override to right-to-left as `[U+202E]`. Isolates of a push's words that end in it
  /// are obeyed: each part goes in the direction of its first letters, as `<bdi>` makes it.
  var shownInHTML: String {
    guard utf8.contains(where: { $0 >= 0x7F || Self.plain[Int($0)] == false }) else { return self }
    let keepsIsolates = closesItsIsolates
    var escaped = ""
    escaped.reserveCapacity(utf8.count + 16)
    for scalar in unicodeScalars {
      if let reference = scalar.htmlReference {
        escaped += reference
        continue
      }
      switch scalar {
      case "\u{2068}" where keepsIsolates, "\u{2069}" where keepsIsolates: escaped.unicodeScalars.append(scalar)
      case "\t", "\n": escaped.unicodeScalars.append(scalar)
      case "\r": escaped += "&#13;"
      case "\u{0}"..."\u{1F}": escaped.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case "\u{7F}": escaped += "\u{2421}"
      case "\u{80}"..."\u{9F}", "\u{61C}", "\u{200E}"..."\u{200F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}",
        "\u{FEFF}", "\u{FFF9}"..."\u{FFFB}", "\u{E0000}"..."\u{E007F}":
        escaped += "[U+\(String(scalar.value, radix: 16, uppercase: true))]"
      case _ where scalar.properties.generalCategory == .unassigned || scalar.value & 0xFFFE == 0xFFFE:
        escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Whether each isolate ends in the text, and none says a direction.
  private var closesItsIsolates: Bool {
    var depth = 0
    for scalar in unicodeScalars {
      switch scalar {
      case "\u{2066}", "\u{2067}": return false
      case "\u{2068}": depth += 1
      case "\u{2069}": depth -= 1
      default: continue
      }
      guard depth >= 0 else { return false }
    }
    return depth == 0
  }

  /// ASCII that stands for itself.
  private static let plain = (UInt8(0)..<0x7F).map { byte in
    byte >= 0x20 && !"&<>\"'".utf8.contains(byte)
  }

  /// The beginning of a long text.
  ///
  /// - Parameter length: in Unicode scalars: a character alone may have thousands.
  package func clipped(to length: Int) -> String {
    guard
      let end = unicodeScalars.index(unicodeScalars.startIndex, offsetBy: length, limitedBy: unicodeScalars.endIndex),
      end != unicodeScalars.endIndex
    else { return self }
    return String(unicodeScalars[..<end]) + "…"
  }
}
