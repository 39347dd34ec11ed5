/// Keeps web pages out: a browser on this machine must not be able to call functions for somebody else's page.
enum OriginCheck {
  /// The refusal of a request under a foreign host name or from another site, `nil` for any other.
  static func refusal(of request: GatewayRequest) -> GatewayAnswer? {
    if let host = request.headers["host"], !isLocal(host: host) {
      return .failure(403, "FOREIGN_HOST", "This gateway does not answer for the host \(host).")
    }
    if let site = request.headers["sec-fetch-site"], !["same-origin", "none"].contains(site) {
      return .failure(403, "CROSS_SITE", "Calls from another site are refused.")
    }
    if let origin = request.headers["origin"], !isLocal(origin: origin) {
      return .failure(403, "CROSS_SITE", "Calls from another site are refused.")
    }
    return nil
  }

  private static func isLocal(origin: String) -> Bool {
    let schemes = ["http://", "https://"]
    return schemes.contains { origin.hasPrefix($0) && isLocal(host: String(origin.dropFirst($0.count))) }
  }

  private static func isLocal(host: String) -> Bool {
    let bytes = host.utf8
    let isIPv6 = bytes.first == UInt8(ascii: "[")
    let end = bytes.firstIndex(of: UInt8(ascii: isIPv6 ? "]" : ":")).map { isIPv6 ? bytes.index(after: $0) : $0 }
    return ["localhost", "127.0.0.1", "[::1]"].contains(host[..<(end ?? bytes.endIndex)].lowercased())
  }
}
