import PushLive

extension SilenceCause {
  /// Advice about it.
  ///
  /// - Parameters:
  ///   - authority: the variable of a private authority.
  ///   - proxies: the variables of the proxy.
  ///   - ports: the ports of the server, after "port".
  func advice(authority: String, proxies: String, ports: String) -> String {
    switch self {
    case .trust: "something between here and there answers in its place, or \(authority) is another's"
    case .proxy: "look at \(proxies)"
    case .beyondProxy: "is port \(ports) open from the proxy to the outside?"
    case .server: "is port \(ports) open to the outside? Where only a proxy leads there, set HTTPS_PROXY"
    }
  }
}
