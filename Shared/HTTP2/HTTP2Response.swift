/// A response, whole; what a client receives and what a server's handler answers with.
public struct HTTP2Response: Sendable {
  /// The final status (1xx answers are skipped).
  public var status: Int
  /// All fields but the pseudo-headers; trailers come last.
  public var headers: [HTTP2Header]
  /// The content.
  public var body: [UInt8]

  /// A response to send.
  public init(status: Int, headers: [HTTP2Header] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
