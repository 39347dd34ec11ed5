import FoundationEssentials
import TestSupport

extension SplitMix {
  mutating func percent(_ chance: Int) -> Bool { number(0..<100) < chance }

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }

  /// An id as PostgreSQL writes it.
  mutating func id() -> String {
    let digits = [next(), next()].map { word in String(word, radix: 16) }
      .map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined().map(String.init)
    let text = digits[0..<12].joined() + "4" + digits[13..<16].joined() + "8" + digits[17...].joined()
    let ends = [0, 8, 12, 16, 20, 32]
    return zip(ends, ends.dropFirst()).map { start, end in
      String(text.dropFirst(start).prefix(end - start))
    }.joined(separator: "-")
  }
}
