import Formats
import FoundationEssentials
import Platform

/// Random UUIDs (RFC 9562, version 4) as text.
package enum RandomID {
  /// 36 characters in lower case.
  ///
  /// Foundation opens `/dev/urandom` for each one, and a gateway needs one for every call. This does not.
  package static func make() -> String {
    var random: (high: UInt64, low: UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &random) { Randomness.fill($0) }
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
        unused.withUnsafeMutableBytes { Randomness.fill($0) }
      }
      let random = unused.removeLast()
      return RandomID.text(high: random.high, low: random.low)
    }
  }

  static func text(high: UInt64, low: UInt64) -> String {
    UUID(high: high & ~0xF000 | 0x4000, low: low & ~(0xC << 60) | 0x8 << 60).lowercased
  }
}
