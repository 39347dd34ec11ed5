extension Proxy {
  /// The proxy of the usual variables: `https_proxy` or `HTTPS_PROXY`.
  ///
  /// There is none if `no_proxy` or `NO_PROXY` names the host. If both spellings are set, the lower-case one counts.
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
    guard let text = read("https_proxy"), !endpoint.isThisMachine,
      !NoProxyList(read("no_proxy") ?? "").contains(endpoint)
    else { return nil }
    guard let proxy = Proxy(url: text) else {
      throw .unusableProxy(reason: "HTTPS_PROXY must be http://[user:password@]host:port")
    }
    return proxy
  }
}

/// The hosts that need no proxy: names, each with all names below it, and addresses, with or without a port.
struct NoProxyList {
  private let entries: [Endpoint]

  /// Reads `example.com, .example.org, 10.0.0.1:8443, *`.
  init(_ text: String) {
    entries = text.split { $0 == "," || $0.isWhitespace }.map { entry in
      let isAddress = Endpoint(host: String(entry), port: 0).isNumeric
      let parts = isAddress ? [entry] : entry.split(separator: ":", maxSplits: 1)
      return Endpoint(host: Self.plain(String(parts[0])), port: parts.count > 1 ? UInt16(parts[1]) ?? 0 : 0)
    }
  }

  func contains(_ endpoint: Endpoint) -> Bool {
    let host = Self.plain(endpoint.host)
    return entries.contains { entry in
      (entry.port == 0 || entry.port == endpoint.port)
        && (entry.host == "*" || host == entry.host || !endpoint.isNumeric && host.hasSuffix(".\(entry.host)"))
    }
  }

  /// In lower case, without the dots that mark a name as absolute or as a suffix.
  private static func plain(_ host: String) -> String {
    var host = host.lowercased()[...]
    if host.hasPrefix("*.") { host = host.dropFirst() }
    while host.hasPrefix(".") { host = host.dropFirst() }
    if host.hasSuffix(".") { host = host.dropLast() }
    return String(host)
  }
}

extension Endpoint {
  fileprivate var isThisMachine: Bool {
    let host = host.lowercased()
    return host == "localhost" || host == "::1" || host.hasPrefix("127.") && isNumeric
  }
}
