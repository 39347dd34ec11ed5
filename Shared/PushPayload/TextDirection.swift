extension String {
  /// The text as a value inside a sentence: in an isolate if it has letters that are written from right to left, or
  /// controls of direction, so that it does not turn the words around it.
  ///
  /// Controls that it opens and does not close are left out, and those that close something outside of it. Any other
  /// text stays as it is. An isolate ends with its paragraph, so each paragraph gets its own.
  ///
  /// Source: UAX #9, sections 2.4 and 3.1 (https://www.unicode.org/reports/tr9/).
  package var isolated: String { isolated(fromRightToLeft: false) }

  /// The text as a value inside a sentence, as ``isolated``.
  /// - Parameter isFromRightToLeft: whether the sentence is written from right to left; each value is isolated there.
  package func isolated(fromRightToLeft isFromRightToLeft: Bool) -> String {
    guard isFromRightToLeft ? !isEmpty : needsIsolation else { return self }
    var isolated = UnicodeScalarView()
    var isOpen = false
    for scalar in closed.unicodeScalars {
      if scalar.separatesParagraphs == isOpen {
        isolated.append(isOpen ? .popIsolate : .firstStrongIsolate)
        isOpen.toggle()
      }
      isolated.append(scalar)
    }
    if isOpen { isolated.append(.popIsolate) }
    return String(isolated)
  }

  /// The text without the controls of direction that it opens and does not close, or closes and did not open.
  ///
  /// A closed isolate ends what was opened in it, too.
  package var closed: String {
    guard utf8.contains(where: { $0 >= UInt8.firstOfControls }), unicodeScalars.contains(where: \.isPartOfPair) else {
      return self
    }
    var kept: [Unicode.Scalar?] = Array(unicodeScalars)
    var open = OpenDirections()
    for place in kept.indices {
      guard let scalar = kept[place] else { continue }
      for dropped in open.read(scalar, at: place) { kept[dropped] = nil }
    }
    for (place, _) in open.places { kept[place] = nil }
    return String(UnicodeScalarView(kept.compactMap(\.self)))
  }

  private var needsIsolation: Bool {
    // The letters begin with U+0590, whose first byte is 0xD6; no text without such a byte has one, or a control.
    utf8.contains { $0 >= UInt8.firstOfLetters }
      && unicodeScalars.contains { $0.isFromRightToLeft || $0.properties.isBidiControl }
  }
}

/// The embeddings, overrides and isolates that are open at a place in a text.
struct OpenDirections {
  /// Where they were opened, and what closes them; the innermost is last.
  private(set) var places: [(place: Int, end: Unicode.Scalar)] = []
  /// How many of them are isolates: without one, a `popIsolate` closes nothing, and need not search.
  private var isolates = 0

  /// The marks that close all of them.
  var ends: [Unicode.Scalar] { places.reversed().map(\.end) }

  /// Reads the next scalar of the text.
  /// - Returns: the places of what is left open for ever, or closes nothing.
  mutating func read(_ scalar: Unicode.Scalar, at place: Int) -> [Int] {
    if let end = scalar.end {
      places.append((place, end))
      if end == .popIsolate { isolates += 1 }
      return []
    }
    if scalar.separatesParagraphs {
      defer { (places, isolates) = ([], 0) }
      return places.map(\.place)
    }
    guard scalar == .popIsolate || scalar == .popFormatting else { return [] }
    // The end of a formatting does not reach out of the isolate around it.
    guard scalar == .popFormatting || isolates > 0 else { return [place] }
    let opening = scalar == .popIsolate ? places.lastIndex { $0.end == scalar } : places.indices.last
    guard let opening, places[opening].end == scalar else { return [place] }
    if scalar == .popIsolate { isolates -= 1 }
    defer { places.removeSubrange(opening...) }
    return places[(opening + 1)...].map(\.place)
  }
}

extension UInt8 {
  /// The first byte of U+0590 in UTF-8.
  fileprivate static let firstOfLetters: UInt8 = 0xD6
  /// The first byte of U+202A in UTF-8.
  fileprivate static let firstOfControls: UInt8 = 0xE2
}

extension Unicode.Scalar {
  fileprivate static let firstStrongIsolate: Unicode.Scalar = "\u{2068}"
  fileprivate static let popIsolate: Unicode.Scalar = "\u{2069}"
  fileprivate static let popFormatting: Unicode.Scalar = "\u{202C}"

  /// The mark that closes the embedding, override or isolate that it opens; `nil` for any other scalar.
  fileprivate var end: Unicode.Scalar? {
    switch value {
    case 0x202A, 0x202B, 0x202D, 0x202E: .popFormatting
    case 0x2066...0x2068: .popIsolate
    default: nil
    }
  }

  fileprivate var isPartOfPair: Bool { (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) }

  /// Whether it ends a paragraph: the class B.
  fileprivate var separatesParagraphs: Bool {
    switch value {
    case 0x0A, 0x0D, 0x1C...0x1E, 0x85, 0x2029: true
    default: false
    }
  }

  /// Whether it is in a block whose unassigned characters have the class R or AL, as `DerivedBidiClass.txt` of the
  /// Unicode Character Database lists them: Hebrew to Arabic Extended-A, the presentation forms, and the old and new
  /// scripts of the first plane.
  fileprivate var isFromRightToLeft: Bool {
    switch value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }
}
