import FoundationEssentials
import HTTP2

extension Endpoint {
  /// Reads `https://host[:port]`, with an IPv6 address in brackets; `nil` for any other form.
  init?(url text: String) {
    guard let parts = URLComponents(string: text), parts.user == nil, ["", "/"].contains(parts.path),
      parts.query == nil, parts.fragment == nil
    else { return nil }
    self.init(serverOf: text)
  }

  /// The server of an `https` URL; `nil` for any other text.
  init?(serverOf text: String) {
    guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https", var host = parts.host,
      !host.isEmpty, let port = UInt16(exactly: parts.port ?? 443), port > 0
    else { return nil }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    self.init(host: host, port: port)
  }

  /// Whether it is one of Apple's push servers.
  ///
  /// A private authority may not vouch for their certificates.
  var isApple: Bool {
    let host = host.lowercased()
    return (host.hasSuffix(".") ? String(host.dropLast()) : host).hasSuffix(".push.apple.com")
  }

  /// The request's `:authority`: the host, and the port if it is not 443.
  var authority: String {
    let text = "\(self)"
    return port == 443 ? String(text.dropLast(4)) : text
  }
}
