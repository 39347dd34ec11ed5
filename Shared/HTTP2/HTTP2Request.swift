/// A request, whole: bodies here are small and are kept in memory.
public struct HTTP2Request: Sendable {
  /// The method, in upper case.
  public var method: String
  /// The path with its query; sent without indexing, because in this product it names one device.
  public var path: String
  /// Host and, when it is not 443, port.
  public var authority: String
  /// All fields but the pseudo-headers.
  public var headers: [HTTP2Header]
  /// The content; empty for none.
  public var body: [UInt8]

  /// A request to send.
  public init(
    method: String = "POST", path: String, authority: String, headers: [HTTP2Header] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.authority = authority
    self.headers = headers
    self.body = body
  }
}
