import FunctionKit
import HTTP2
import Notifications

extension ConfigurationReader {
  /// Apple's servers, or that of `APNS_URL`, with another for the sandbox where `APNS_SANDBOX_URL` names one.
  mutating func server() -> APNsConfiguration.Server? {
    let authority = environment["APNS_CA_PATH"]
    guard environment["APNS_URL"] != nil else {
      for name in ["APNS_CA_PATH", "APNS_SANDBOX_URL"] where environment[name] != nil {
        problems.append("\(name) is only for a server named by APNS_URL")
      }
      return .apple
    }
    guard let production = endpoint("APNS_URL"),
      let sandbox = environment["APNS_SANDBOX_URL"] == nil ? production : endpoint("APNS_SANDBOX_URL")
    else { return nil }
    guard authority != nil else { return .other(production: production, sandbox: sandbox, .system) }
    if production.isApple || sandbox.isApple { problems.append("APNS_CA_PATH is refused for Apple's servers") }
    return value("APNS_CA_PATH", "must name a readable file") { FileContents.read($0).map { _ in authority ?? "" } }
      .map { .other(production: production, sandbox: sandbox, .certificateAuthority(path: $0)) }
  }

  /// The proxy of `APNS_PROXY` for both environments, else the usual one for each.
  mutating func proxies(to server: APNsConfiguration.Server) -> [PushEnvironment: Proxy] {
    var proxies: [PushEnvironment: Proxy] = [:]
    if environment["APNS_PROXY"] != nil {
      let proxy = value("APNS_PROXY", Proxy.form, Proxy.init(url:))
      for environment in PushEnvironment.allCases { proxies[environment] = proxy }
    } else {
      for environment in PushEnvironment.allCases { proxies[environment] = proxy(to: server.endpoint(environment)) }
    }
    return proxies
  }

  /// The proxy of `HTTPS_PROXY`, unless `NO_PROXY` exempts the server: the rule for every provider's servers.
  mutating func proxy(to server: Endpoint) -> Proxy? {
    do throws(HTTP2Error) {
      return try Proxy.environment(for: server) { [environment] in environment[$0] }
    } catch {
      if !problems.contains("\(error)") { problems.append("\(error)") }
      return nil
    }
  }

  mutating func endpoint(_ name: String) -> Endpoint? {
    value(name, "must be https://host or https://host:port", Endpoint.init(url:))
  }
}
