/// The answer of a server, no matter what its status is.
public struct HTTPAnswer: Sendable {
  /// The final status, 200 to 599; interim answers are passed over.
  public let status: Int
  /// Header fields in the order received, names in lower case.
  public let headers: [(name: String, value: String)]
  /// The whole body, at most the client's ``HTTPLimits/body`` long.
  public let body: [UInt8]

  /// The first value of a header field, its name compared without case.
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name == name }?.value
  }

  /// The body as text, malformed UTF-8 replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }
}
