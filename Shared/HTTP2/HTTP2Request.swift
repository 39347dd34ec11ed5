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
