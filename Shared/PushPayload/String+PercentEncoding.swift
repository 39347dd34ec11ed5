/// The percent-encoding of RFC 3986: everything but letters, digits and `-._~` of ASCII is encoded.
extension String {
  /// The text as a segment of a path.
  public var percentEncoded: String {
    let encoded = utf8.flatMap { byte -> [UInt8] in
      if byte.isUnreserved { return [byte] }
      let digits = String(byte, radix: 16, uppercase: true)
      return Array("%\(byte < 0x10 ? "0" : "")\(digits)".utf8)
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// `nil` if a `%` is not followed by two hexadecimal digits, or if the bytes are not UTF-8.
  var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
      bytes.append(high << 4 | low)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.utf8.elementsEqual(bytes) ? text : nil
  }
}

extension UInt8 {
  fileprivate var isUnreserved: Bool {
    switch Unicode.Scalar(self) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
    default: false
    }
  }

  fileprivate var hexValue: UInt8? {
    Character(Unicode.Scalar(self)).hexDigitValue.map(UInt8.init)
  }
}
