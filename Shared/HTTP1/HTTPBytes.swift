// The kinds of bytes in HTTP.
// Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2
extension UInt8 {
  package static let tab: UInt8 = 0x09
  package static let lineFeed: UInt8 = 0x0A
  package static let carriageReturn: UInt8 = 0x0D
  package static let space: UInt8 = 0x20

  package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  package var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }

  /// Whether methods and names of fields may have it.
  package var isTokenCharacter: Bool {
    switch self {
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E: true
    default: false
    }
  }

  /// Whether values of fields may have it: NUL, CR and LF may not be in them.
  package var isFieldCharacter: Bool { self >= 0x20 ? self != 0x7F : self == .tab }

  package var isBlank: Bool { self == .space || self == .tab }
}
