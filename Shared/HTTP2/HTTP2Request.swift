/// A whole request.
///
/// Bodies here are small and stay in memory.
package struct HTTP2Request: Sendable {
  /// The method, in upper case.
  package var method: String
  /// The path with its query; sent without indexing, because in this product it names one device.
  package var path: String
  /// Host and, when it is not 443, port.
  package var authority: String
  /// All fields but the pseudo-headers.
  package var headers: [HTTP2Header]
  /// The content; empty for none.
  package var body: [UInt8]

  /// A request to send.
  package init(
    method: String = "POST", path: String, authority: String, headers: [HTTP2Header] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.authority = authority
    self.headers = headers
    self.body = body
  }
}

/// A whole response, for clients and for a server's handler.
package struct HTTP2Response: Sendable {
  /// The final status (1xx answers are skipped).
  package var status: Int
  /// All fields but the pseudo-headers; trailers come last.
  package var headers: [HTTP2Header]
  /// The content.
  package var body: [UInt8]

  /// A response to send.
  package init(status: Int, headers: [HTTP2Header] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// One header field of a request or response.
package struct HTTP2Header: Sendable, Hashable {
  /// Whether HPACK may keep the field in the connection's dynamic table.
  package enum Indexing: Sendable, Hashable {
    /// nghttp2 decides: indexed, except for a few names whose values rarely repeat.
    case `default`
    /// Indexed the first time that the connection sends a field of this name.
    ///
    /// Later ones are literals that refer only to the name. This is for a name that comes again with other values.
    case nameOnly
    /// A literal that is never indexed, neither here nor by an intermediary (RFC 7541 §6.2.3).
    ///
    /// It is for secrets, and for values that do not come again and would only replace better ones in the table.
    case never
  }

  /// In lower case, as HTTP/2 demands.
  package let name: String
  /// Without line breaks; leading and trailing blanks are not allowed.
  package let value: String
  /// How the sender compresses the field.
  package let indexing: Indexing

  /// A field to send.
  package init(_ name: String, _ value: String, indexing: Indexing = .default) {
    self.name = name
    self.value = value
    self.indexing = indexing
  }
}

extension [HTTP2Header] {
  /// The value of the first field of that name (in lower case).
  package subscript(name: String) -> String? {
    first { $0.name == name }?.value
  }
}
