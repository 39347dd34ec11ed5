import FoundationEssentials
import FunctionKit
import HTTP2

/// A proxy that tunnels connections by `CONNECT`.
struct ProxyAddress: Sendable, Equatable {
  let endpoint: Endpoint
  /// The name and the password, `name:password`.
  let credentials: Secret<String>?

  static func == (left: ProxyAddress, right: ProxyAddress) -> Bool {
    left.endpoint == right.endpoint && left.credentials?.exposed == right.credentials?.exposed
  }

  /// Reads `http://[user:password@]host[:port]`; `nil` for anything more or less.
  init?(_ text: String) {
    guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "http",
      ["", "/"].contains(parts.path),
      parts.query == nil, parts.fragment == nil, var host = parts.host, !host.isEmpty,
      let port = UInt16(exactly: parts.port ?? 80), port > 0
    else { return nil }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    endpoint = Endpoint(host: host, port: port)
    credentials = parts.user.map { Secret("\($0):\(parts.password ?? "")") }
  }

  /// Whether `NO_PROXY` exempts a host: `*`, the host itself, or a domain that it belongs to, with or without a
  /// leading dot; entries may carry a port.
  static func isExempt(_ target: Endpoint, by list: String) -> Bool {
    let host = target.host.lowercased()
    return list.split(separator: ",").contains { entry in
      var name = entry.filter { !$0.isWhitespace }.lowercased()[...]
      if let colon = name.lastIndex(of: ":"), let port = UInt16(name[name.index(after: colon)...]) {
        guard port == target.port else { return false }
        name = name[..<colon]
      }
      if name == "*" { return true }
      if name.first == "." { name = name.dropFirst() }
      return !name.isEmpty && (host == name || host.hasSuffix(".\(name)"))
    }
  }
}
