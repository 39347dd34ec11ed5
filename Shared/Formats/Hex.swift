/// Hexadecimal digits.
package enum Hex {
  /// The digit of a value below 16, in lower case.
  package static func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : 0x57 + value }

  /// The value of a digit in either case; `nil` for any other character.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The 16 digits of a number, in lower case.
  package static func digits(_ number: UInt64) -> [UInt8] {
    (0..<16).map { digit(UInt8(truncatingIfNeeded: number >> UInt64(60 - $0 * 4)) & 15) }
  }

  /// The number that at most 16 digits in lower case stand for; `nil` for any other text.
  package static func number(lowercase digits: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      guard let value = value(digit), !(UInt8(ascii: "A")...UInt8(ascii: "F") ~= digit) else { return nil }
      number = number << 4 | UInt64(value)
    }
    return number
  }
}
