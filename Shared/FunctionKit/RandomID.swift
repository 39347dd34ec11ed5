import Glibc

/// Random UUIDs (RFC 9562, version 4) as text.
package enum RandomID {
  /// 36 characters in lower case.
  ///
  /// Foundation opens `/dev/urandom` for each one, and a gateway needs one for every call. This does not.
  package static func make() -> String {
    var random: (high: UInt64, low: UInt64) = (0, 0)
    while getentropy(&random, 16) != 0 {}
    return text(high: random.high, low: random.low)
  }

  /// Makes many: it asks the system for randomness once for sixteen.
  package struct Series: Sendable {
    private var unused: [(high: UInt64, low: UInt64)] = []

    /// A series of its own.
    package init() {}

    /// The next one.
    package mutating func next() -> String {
      if unused.isEmpty {
        unused = Array(repeating: (0, 0), count: 16)
        unused.withUnsafeMutableBytes { bytes in
          while getentropy(bytes.baseAddress, bytes.count) != 0 {}
        }
      }
      let random = unused.removeLast()
      return RandomID.text(high: random.high, low: random.low)
    }
  }

  static func text(high: UInt64, low: UInt64) -> String {
    let halves = [high & ~0xF000 | 0x4000, low & ~(0xC << 60) | 0x8 << 60]
    return String(unsafeUninitializedCapacity: 36) { text in
      var end = 0
      for digit in 0..<32 {
        if [8, 12, 16, 20].contains(digit) {
          text[end] = UInt8(ascii: "-")
          end += 1
        }
        text[end] = JSONScanner.hexDigit(UInt8(truncatingIfNeeded: halves[digit / 16] >> (60 - digit % 16 * 4)))
        end += 1
      }
      return end
    }
  }
}
