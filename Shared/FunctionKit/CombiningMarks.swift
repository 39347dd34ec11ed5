extension JSONScanner {
  /// The most combining marks in a row that need not be in Unicode's canonical order.
  ///
  /// To compare or hash a text, Swift puts such a row in order, in a time that grows by the square: a minute for 1 MiB.
  /// More than anybody writes.
  private static let mostDisordered = 1_000

  /// Whether a text can be compared and hashed in a time that grows with its length.
  static func isQuicklyCompared(_ inner: ArraySlice<UInt8>) -> Bool {
    // A mark has two bytes or more.
    guard inner.count > 2 * mostDisordered else { return true }
    var (count, last, isOrdered) = (0, UInt8(0), true)
    for scalar in unescaped(inner).unicodeScalars {
      let order = scalar.markOrder
      guard order > 0 else {
        (count, last, isOrdered) = (0, 0, true)
        continue
      }
      // Two marks in one are not in order with another one like them.
      (count, isOrdered) = (count + 1, isOrdered && order >= last && !scalar.isTwoMarks)
      if !isOrdered, count > mostDisordered { return false }
      last = order
    }
    return true
  }
}

extension Unicode.Scalar {
  /// The place of a combining mark in the canonical order; 0 for any other character.
  fileprivate var markOrder: UInt8 {
    // The first mark is U+0300.
    value < 0x300 ? 0 : isTwoMarks ? 129 : properties.canonicalCombiningClass.rawValue
  }

  /// Whether it is one of Tibetan's vowel signs that stand for two marks.
  fileprivate var isTwoMarks: Bool { value == 0xF73 || value == 0xF75 || value == 0xF81 }
}
