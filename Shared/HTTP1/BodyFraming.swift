/// How a request shows where its body ends.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9112#section-6.3
package enum BodyFraming: Sendable, Equatable {
  /// The length in bytes; 0 if there is no body.
  case length(Int)
  case chunked

  package init(_ headers: HeaderFields, isOld: Bool) throws(MalformedRequest) {
    let (lengths, codings) = (headers.values(of: "content-length"), headers.values(of: "transfer-encoding"))
    guard codings.isEmpty else {
      guard lengths.isEmpty else {
        throw MalformedRequest("Content-Length and Transfer-Encoding exclude each other.")
      }
      guard !isOld else { throw MalformedRequest("HTTP/1.0 has no Transfer-Encoding.") }
      try Self.checkCodings(codings)
      self = .chunked
      return
    }
    guard lengths.count <= 1 else { throw MalformedRequest("A request has one field Content-Length at most.") }
    self = .length(try lengths.first.map(Self.length) ?? 0)
  }

  private static func checkCodings(_ fields: [String]) throws(MalformedRequest) {
    // Unicode has other letters whose lower case is one of these.
    guard fields.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) else {
      throw MalformedRequest("Transfer-Encoding must be chunked.")
    }
    guard fields.count > 1 || fields[0].lowercased() != "chunked" else { return }
    let words = HeaderFields.words(fields)
    guard words.last == "chunked", !words.dropLast().contains("chunked"), fields.count == 1 else {
      throw MalformedRequest("Transfer-Encoding must be chunked.")
    }
    throw MalformedRequest(501, "NOT_IMPLEMENTED", "Only the Transfer-Encoding chunked is accepted.")
  }

  /// A length that is too large for an integer here is only too large a body.
  private static func length(_ text: String) throws(MalformedRequest) -> Int {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else {
      throw MalformedRequest("Content-Length must be a number of bytes.")
    }
    return Int(text) ?? .max
  }
}
