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
