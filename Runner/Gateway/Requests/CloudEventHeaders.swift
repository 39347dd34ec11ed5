import Formats
import FunctionKit
import HTTP1

/// The attributes of a CloudEvent in the header fields of a request: its binary mode.
///
/// Source: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#313-metadata-headers
enum CloudEventHeaders {
  /// The body is the data, and its type is Content-Type.
  private static let ofBody: Set = ["data", "datacontenttype"]

  /// The event in structured JSON.
  static func document(_ headers: HeaderFields, data: RawJSON?) throws(InvalidCall) -> RawJSON {
    var members: [(String, RawJSON)] = []
    if let type = headers["content-type"] { members.append(("datacontenttype", RawJSON(type))) }
    var names: Set<String> = []
    for field in headers.list where field.name.hasPrefix("ce-") {
      let name = String(field.name.dropFirst(3))
      guard isAttribute(name), !Self.ofBody.contains(name), names.insert(name).inserted else { continue }
      members.append((name, RawJSON(try value(field.value, of: name))))
    }
    if let data { members.append(("data", data)) }
    return RawJSON(object: members)
  }

  private static func isAttribute(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }

  /// Resolves quotes, then percent-encoding, once each.
  private static func value(_ text: String, of name: String) throws(InvalidCall) -> String {
    let bytes = PercentEncoding.decoded(unquoted(text))
    // U+FFFD replaces bytes that were not UTF-8.
    guard let value = String(validating: bytes, as: UTF8.self), !text.contains("\u{FFFD}") else {
      throw .malformed("The header field ce-\(name) is not UTF-8.")
    }
    return value
  }

  private static func unquoted(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else { return bytes }
    var rest = bytes.dropFirst().dropLast()
    var inner: [UInt8] = []
    while let byte = rest.popFirst() {
      inner.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return inner
  }
}
