extension SplitMix {
  /// Numbers that belong to some words, no matter what was drawn before.
  package init(seed: UInt64, for words: String) {
    self.init(seed: words.utf8.reduce(seed ^ 0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
  }

  /// Answers yes with a chance in percent.
  package mutating func percent(_ chance: Int) -> Bool { number(0..<100) < chance }

  /// A number of a range.
  package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// One of several; there must be one at least.
  package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }

  /// An id as PostgreSQL writes it.
  package mutating func id() -> String {
    var digits = [next(), next()].flatMap { String($0 | 1 << 63, radix: 16) }
    (digits[12], digits[16]) = ("4", "8")
    for place in [20, 16, 12, 8] { digits.insert("-", at: place) }
    return String(digits)
  }
}
