/// The percent-encoding of header fields and queries.
enum PercentEncoding {
  /// The bytes of an encoded text.
  ///
  /// A percent sign without two digits is a percent sign.
  static func decoded(_ text: some Sequence<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = value(of: rest.prefix(2)) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  private static func value(of digits: ArraySlice<UInt8>) -> UInt8? {
    // `UInt8(_:radix:)` also accepts a sign.
    guard digits.count == 2, digits.first != UInt8(ascii: "+") else { return nil }
    return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
