/// Writes a JSON object member by member; absent values are left out.
struct JSONObject {
  private var members: [UInt8] = []

  var bytes: [UInt8] { [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")] }

  mutating func add(_ name: String, _ text: String?) {
    guard let text else { return }
    begin(name)
    Self.append(quoted: text, to: &members)
  }

  mutating func add(_ name: String, _ number: Int?) {
    guard let number else { return }
    begin(name)
    members += "\(number)".utf8
  }

  mutating func add(_ name: String, _ number: Double?) {
    guard let number, number.isFinite else { return }
    begin(name)
    members += "\(number)".utf8
  }

  mutating func add(_ name: String, _ object: JSONObject) { add(name, json: object.bytes) }

  /// Adds a value that is JSON already.
  mutating func add(_ name: String, json: [UInt8]) {
    begin(name)
    members += json
  }

  private mutating func begin(_ name: String) {
    if !members.isEmpty { members.append(UInt8(ascii: ",")) }
    Self.append(quoted: name, to: &members)
    members.append(UInt8(ascii: ":"))
  }

  private static func append(quoted text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { text in
      var rest = text[...]
      while let place = rest.firstIndex(where: isEscaped), let escape = escape(for: rest[place]) {
        bytes += rest[..<place]
        bytes += escape.utf8
        rest = rest[(place + 1)...]
      }
      bytes += rest
    }
    bytes.append(UInt8(ascii: "\""))
  }

  static func encodedSize(of scalar: Unicode.Scalar) -> Int {
    UInt8(exactly: scalar.value).flatMap(escape)?.utf8.count ?? scalar.utf8.count
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func escape(for byte: UInt8) -> String? {
    guard isEscaped(byte) else { return nil }
    return switch byte {
    case UInt8(ascii: "\""): #"\""#
    case UInt8(ascii: "\\"): #"\\"#
    case UInt8(ascii: "\n"): #"\n"#
    case UInt8(ascii: "\r"): #"\r"#
    case UInt8(ascii: "\t"): #"\t"#
    default: (byte < 0x10 ? #"\u000"# : #"\u00"#) + String(byte, radix: 16)
    }
  }
}
