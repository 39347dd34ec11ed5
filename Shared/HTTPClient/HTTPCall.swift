/// One HTTP request, complete before it is sent.
public struct HTTPCall: Sendable {
  /// The request method, in upper case.
  public enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// The request method.
  public var method: Method
  /// An absolute `http` or `https` URL, already percent-encoded.
  public var url: String
  /// Names and values in the order they are sent; a value with a line break is refused.
  public var headers: [(name: String, value: String)]
  /// The request body, sent as it is; no `Content-Type` is made up for it.
  public var body: [UInt8]
  /// Replaces the client's limit for the whole call, for calls that wait on purpose.
  public var timeout: Duration?

  /// Describes a request.
  public init(
    _ method: Method = .get, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    timeout: Duration? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }
}
