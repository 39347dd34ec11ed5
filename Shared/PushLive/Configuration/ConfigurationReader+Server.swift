import FunctionKit
import HTTP2

extension ConfigurationReader {
  /// Apple's servers, or the one of `APNS_URL`.
  mutating func server() -> APNsConfiguration.Server? {
    let authority = environment["APNS_CA_PATH"]
    guard environment["APNS_URL"] != nil else {
      if authority != nil { problems.append("APNS_CA_PATH is only for a server named by APNS_URL") }
      return .apple
    }
    guard let endpoint = value("APNS_URL", "must be https://host or https://host:port", Endpoint.init(url:)) else {
      return nil
    }
    guard authority != nil else { return .other(endpoint, .system) }
    if endpoint.isApple { problems.append("APNS_CA_PATH is refused for Apple's servers") }
    return value("APNS_CA_PATH", "must name a readable file") { FileContents.read($0).map { _ in authority ?? "" } }
      .map { .other(endpoint, .certificateAuthority(path: $0)) }
  }

  /// The proxy of `APNS_PROXY`, else that of `HTTPS_PROXY` unless `NO_PROXY` exempts the servers.
  mutating func proxy(to server: APNsConfiguration.Server) -> Proxy? {
    if environment["APNS_PROXY"] != nil {
      return value("APNS_PROXY", "must be http://host:port or http://user:password@host:port", Proxy.init(url:))
    }
    let target: Endpoint =
      switch server {
      case .apple: Endpoint(host: "api.push.apple.com", port: 443)
      case .other(let endpoint, _): endpoint
      }
    do throws(HTTP2Error) {
      return try Proxy.environment(for: target) { [environment] in environment[$0] }
    } catch {
      problems.append("\(error)")
      return nil
    }
  }
}
