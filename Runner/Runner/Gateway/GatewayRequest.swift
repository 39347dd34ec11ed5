/// A request as the gateway's routes see it.
struct GatewayRequest {
  var method: String
  /// Percent-decoded, without the query.
  var path: String
  /// Names in lower case; of a repeated field the first.
  var headers: [String: String] = [:]
  var body: [UInt8] = []
}

/// An answer of the gateway.
struct GatewayAnswer: Sendable {
  var status: Int
  var headers: [(String, String)] = []
  var body: [UInt8] = []
}
