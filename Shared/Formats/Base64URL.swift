/// Base64 with the alphabet for URLs and without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// The text of these bytes.
  package static func encode(_ bytes: [UInt8]) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        characters.append(alphabet[Int(bits >> bitCount & 63)])
      }
    }
    if bitCount > 0 { characters.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
    return String(decoding: characters, as: UTF8.self)
  }

  /// The bytes of a text; `nil` for padding, any other character, or left-over bits that are not zero.
  package static func decode(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 3 / 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for character in text.utf8 {
      guard let value = values[Int(character)] else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
    }
    let isWhole = bitCount < 6 && bits & ((1 << bitCount) - 1) == 0
    return isWhole ? bytes : nil
  }
}
