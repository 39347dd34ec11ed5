import FoundationEssentials

extension UUID {
  /// `8-4-4-4-12` in lower case, as APNs wants it.
  var lowercaseText: String {
    withUnsafeBytes(of: uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { text in
        var place = 0
        for (index, byte) in bytes.enumerated() {
          if [4, 6, 8, 10].contains(index) {
            text[place] = UInt8(ascii: "-")
            place += 1
          }
          text[place] = Self.digit(byte >> 4)
          text[place + 1] = Self.digit(byte & 15)
          place += 2
        }
        return place
      }
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
