import FoundationEssentials
import HTTP2

extension Endpoint {
  /// Reads `https://host[:port]`, an IPv6 address in brackets; `nil` for anything more or less.
  init?(url text: String) {
    guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https", parts.user == nil,
      ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, var host = parts.host, !host.isEmpty,
      let port = UInt16(exactly: parts.port ?? 443), port > 0
    else { return nil }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    self.init(host: host, port: port)
  }

  /// Whether it is one of Apple's push servers, whose certificates no private authority may vouch for.
  var isApple: Bool {
    let host = host.lowercased()
    return (host.hasSuffix(".") ? String(host.dropLast()) : host).hasSuffix(".push.apple.com")
  }

  /// Host and, when it is not 443, port: the request's `:authority`.
  var authority: String {
    let text = "\(self)"
    return port == 443 ? String(text.dropLast(4)) : text
  }
}
