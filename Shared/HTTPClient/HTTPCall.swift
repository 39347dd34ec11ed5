/// One HTTP request, complete before it is sent.
package struct HTTPCall: Sendable {
  /// The request method, in upper case.
  package enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  package var method: Method
  /// An absolute `http` or `https` URL, already percent-encoded.
  package var url: String
  /// Names and values in the order they are sent; a value with a line break is refused.
  package var headers: [(name: String, value: String)]
  /// The request body.
  ///
  /// It is sent as it is, and no `Content-Type` is added for it.
  package var body: [UInt8]
  /// Replaces the client's limit for the whole call, for a call that waits on purpose.
  package var timeout: Duration?
  /// Signs the call for AWS.
  package var signature: AWSSignature?

  /// Describes a request.
  package init(
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

/// The key and the scope by which a call to AWS is signed, by Signature Version 4.
///
/// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
package struct AWSSignature: Sendable {
  /// Such as `eu-central-1`.
  let region: String
  /// Such as `lambda`, which is what function URLs belong to.
  let service: String
  let accessKey: String
  let secretKey: String

  package init(region: String, service: String, accessKey: String, secretKey: String) {
    (self.region, self.service, self.accessKey, self.secretKey) = (region, service, accessKey, secretKey)
  }
}

extension AWSSignature: CustomStringConvertible, CustomReflectable {
  /// Shows no key.
  package var description: String { "\(region)/\(service)" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
