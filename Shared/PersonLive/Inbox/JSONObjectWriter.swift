import FunctionKit

/// Writes an object's members into one buffer, without a document for each of them.
struct JSONObjectWriter {
  private var bytes = [UInt8(ascii: "{")]

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// The object.
  consuming func finished() -> RawJSON {
    bytes.append(UInt8(ascii: "}"))
    return RawJSON(trusting: bytes)
  }

  /// - Parameter name: without any character that JSON escapes.
  mutating func add(_ name: String, _ text: String) {
    begin(name)
    append(text)
  }

  mutating func add(_ name: String, _ value: RawJSON) {
    begin(name)
    bytes.append(contentsOf: value.bytes)
  }

  private mutating func begin(_ name: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: name.utf8)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ text: String) {
    var text = text
    let isPlain = text.withUTF8 { characters in
      // To the end, which takes less time than to look after each byte whether to stop.
      var special: UInt8 = 0
      for byte in characters {
        special |= byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
      }
      guard special == 0 else { return false }
      bytes.append(UInt8(ascii: "\""))
      bytes.append(contentsOf: characters)
      bytes.append(UInt8(ascii: "\""))
      return true
    }
    if !isPlain { bytes.append(contentsOf: RawJSON(text).bytes) }
  }
}
