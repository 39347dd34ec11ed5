import FoundationEssentials
import TestSupport

extension SplitMix {
  /// Numbers that belong to some words, no matter what was drawn before.
  init(seed: UInt64, for words: String) {
    self.init(seed: words.utf8.reduce(seed ^ 0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
  }

  mutating func percent(_ chance: Int) -> Bool { number(0..<100) < chance }

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }

  mutating func uuid() -> UUID {
    let (a, b) = (next(), next())
    let bytes = [a, b].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6] & 0x0f | 0x40, bytes[7],
        bytes[8] & 0x3f | 0x80, bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}

extension UUID {
  var text: String { uuidString.lowercased() }
}
