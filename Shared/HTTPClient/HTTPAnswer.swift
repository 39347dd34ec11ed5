/// The answer of a server, whatever its status is.
package struct HTTPAnswer: Sendable {
  /// The final status, 200 to 599; interim answers are skipped.
  package let status: Int
  /// Header fields in the order received, names in lower case.
  package let headers: [(name: String, value: String)]
  /// The body, at most the call's ``HTTPLimits/body`` long; its beginning where ``HTTPLimits/kept`` says so.
  package let body: [UInt8]

  /// The first value of a header field, its name compared without case.
  package subscript(name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name == name }?.value
  }

  /// The body as text, malformed UTF-8 replaced.
  package var text: String { String(decoding: body, as: UTF8.self) }
}
