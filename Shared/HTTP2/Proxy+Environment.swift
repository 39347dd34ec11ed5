extension Proxy {
  /// The proxy of the usual variables: `https_proxy` or `HTTPS_PROXY`.
  ///
  /// It is `nil` if `no_proxy` or `NO_PROXY` names the host. If both spellings are set, the lower-case one counts.
  /// This machine itself never needs a proxy.
  ///
  /// - Parameter value: reads a variable; `nil` or empty if it is not set.
  /// - Throws: ``HTTP2Error/unusableProxy(reason:)``, so that no request goes without the proxy that it should use.
  package static func environment(
    for endpoint: Endpoint, _ value: (String) -> String?
  ) throws(HTTP2Error) -> Proxy? {
    func read(_ name: String) -> String? {
      [name, name.uppercased()].compactMap(value).first { !$0.isEmpty }
    }
    guard let text = read("https_proxy"), !endpoint.isThisMachine else { return nil }
    guard try !NoProxyList(read("no_proxy") ?? "").contains(endpoint) else { return nil }
    guard let proxy = Proxy(url: text) else {
      throw .unusableProxy(reason: "HTTPS_PROXY \(Proxy.form)")
    }
    return proxy
  }
}

extension Endpoint {
  fileprivate var isThisMachine: Bool {
    let host = host.lowercased()
    return host == "localhost" || host == "::1" || host.hasPrefix("127.") && isNumeric
  }
}
