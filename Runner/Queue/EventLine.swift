import Capture
import FunctionKit
import Postgres

/// JSON text put together from the columns of a row, without a copy of any.
struct EventLine {
  private(set) var bytes: [UInt8] = []

  init() {
    bytes.reserveCapacity(512)
  }

  mutating func text(_ text: StaticString) {
    bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  mutating func text(_ text: String) {
    bytes += text.utf8
  }

  mutating func quoted(_ text: String) {
    var text = text
    text.withUTF8 { quoted($0) }
  }

  /// A column as a string; nothing, and `false`, for NULL.
  @discardableResult
  mutating func quoted(_ row: Row, _ position: Int) -> Bool {
    row.withUTF8(at: position) { quoted($0) } != nil
  }

  /// The inside of a string.
  mutating func escaped(_ row: Row, _ position: Int) {
    row.withUTF8(at: position) { escaped($0) }
  }

  /// A column that is JSON itself; `null` for NULL.
  mutating func json(_ row: Row, _ position: Int) {
    if row.withUTF8(at: position, { bytes += $0 }) == nil { text("null") }
  }

  /// A member with its name; nothing for NULL.
  mutating func member(_ name: StaticString, _ row: Row, _ position: Int, isJSON: Bool = false) {
    row.withUTF8(at: position) { value in
      text(name)
      if isJSON { bytes += value } else { quoted(value) }
    }
  }

  /// The members of a column that is a JSON object with some, behind those that are there; nothing for NULL.
  mutating func members(_ row: Row, _ position: Int) {
    row.withUTF8(at: position) { object in
      text(", ")
      bytes += object.dropFirst().dropLast()
    }
  }

  /// A time in UTC, from PostgreSQL's form `2026-01-02 03:04:05.6+00` to that of RFC 3339.
  mutating func time(_ row: Row, _ position: Int) {
    row.withUTF8(at: position) { time in
      let start = bytes.count
      bytes += time.dropLast(3)
      if bytes.count > start + 10 { bytes[start + 10] = UInt8(ascii: "T") }
      bytes.append(UInt8(ascii: "Z"))
    }
  }

  private mutating func quoted(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    escaped(text)
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>) {
    let isPlain = text.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain {
      bytes += text
    } else {
      bytes += RawJSON(String(decoding: text, as: UTF8.self)).bytes.dropFirst().dropLast()
    }
  }
}
