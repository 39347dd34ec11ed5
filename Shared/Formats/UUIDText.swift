#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

// Foundation reads with `sscanf` and writes with `snprintf`, which takes longer than all else about a small payload.
extension UUID {
  /// Reads the 36 characters with hyphens, digits in either case; `nil` for any other text.
  package init?(text: Substring) {
    var text = text
    guard let id = text.withUTF8({ UUID(utf8: $0) }) else { return nil }
    self = id
  }

  /// Reads the same from its bytes.
  package init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 36 else { return nil }
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    for place in 0..<36 {
      switch place {
      case 8, 13, 18, 23:
        guard text[place] == UInt8(ascii: "-") else { return nil }
      default:
        guard let digit = Hex.value(text[place]) else { return nil }
        halves.high = halves.high << 4 | halves.low >> 60
        halves.low = halves.low << 4 | UInt64(digit)
      }
    }
    self.init(high: halves.high, low: halves.low)
  }

  /// The id of these 128 bits.
  package init(high: UInt64, low: UInt64) {
    let bytes = (high.bigEndian, low.bigEndian)
    self = withUnsafeBytes(of: bytes) { UUID(uuid: $0.load(as: uuid_t.self)) }
  }

  /// The 36 characters in lower case, as PostgreSQL and APNs write them.
  package var lowercased: String {
    String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      func append(_ character: UInt8) {
        text[place] = character
        place += 1
      }
      withUnsafeBytes(of: uuid) { bytes in
        for (index, byte) in bytes.enumerated() {
          append(Hex.digit(byte >> 4))
          append(Hex.digit(byte & 15))
          if index == 3 || index == 5 || index == 7 || index == 9 { append(UInt8(ascii: "-")) }
        }
      }
      return place
    }
  }
}
