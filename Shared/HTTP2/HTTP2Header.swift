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
