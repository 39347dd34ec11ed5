import FoundationEssentials
import FunctionKit
import HTTP2
import HTTPClient
import Notifications
import Signing
import TestSupport
import Testing

@testable import PushLive

/// Which proxy each provider's servers are reached by.
struct ProxyConfigurationTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(try SigningKey.generate().privatePEM(), to: "a.p8")
    try directory.write(TestServiceAccount.json(tokenURI: "https://oauth2.googleapis.com/token"), to: "account.json")
  }

  /// The proxies of APNs' production and sandbox, of FCM, and of Google's access tokens.
  static let table: [([String: String], [String?])] = [
    ([:], [nil, nil, nil, nil]), (["HTTPS_PROXY": ""], [nil, nil, nil, nil]),
    (["HTTP_PROXY": "http://a:1"], [nil, nil, nil, nil]), every(["HTTPS_PROXY": "http://proxy"], "proxy:80"),
    every(["https_proxy": "http://proxy:1"], "proxy:1"), every(["HTTPS_PROXY": "proxy:3128"], "proxy:3128"),
    every(["https_proxy": "http://a:1", "HTTPS_PROXY": "http://b:2"], "a:1"),
    every(["https_proxy": "", "HTTPS_PROXY": "http://b:2"], "b:2"),
    every(["HTTPS_PROXY": "http://me:pass%20word@[::1]:8080/"], "http://me:pass%20word@[::1]:8080"),
    every(["HTTPS_PROXY": "http://b:2", "NO_PROXY": "example.com, .apple.org, 10.0.0.0/8"], "b:2"),
    (["HTTPS_PROXY": "http://b:2", "NO_PROXY": "*"], [nil, nil, nil, nil]),
    (["APNS_PROXY": "http://a:1"], ["a:1", "a:1", nil, nil]),
    (["APNS_PROXY": "http://a:1", "HTTPS_PROXY": "http://b:2"], ["a:1", "a:1", "b:2", "b:2"]),
    (["APNS_PROXY": "http://a:1", "HTTPS_PROXY": "http://b:2", "NO_PROXY": "*"], ["a:1", "a:1", nil, nil]),
    (["HTTPS_PROXY": "http://b:2", "NO_PROXY": "localhost, .push.apple.com"], [nil, nil, "b:2", "b:2"]),
    (["HTTPS_PROXY": "http://b:2", "no_proxy": "apple.com:443"], [nil, nil, "b:2", "b:2"]),
    every(["HTTPS_PROXY": "http://b:2", "no_proxy": "apple.com:80"], "b:2"),
    every(["HTTPS_PROXY": "http://b:2", "NO_PROXY": "ushes.apple.com"], "b:2"),
    (["HTTPS_PROXY": "http://b:2", "NO_PROXY": "api.push.apple.com"], [nil, "b:2", "b:2", "b:2"]),
    (["HTTPS_PROXY": "http://b:2", "NO_PROXY": "googleapis.com"], ["b:2", "b:2", nil, nil]),
    (["HTTPS_PROXY": "http://b:2", "NO_PROXY": "fcm.googleapis.com"], ["b:2", "b:2", nil, "b:2"]),
    (["HTTPS_PROXY": "http://b:2", "NO_PROXY": "oauth2.googleapis.com:443"], ["b:2", "b:2", "b:2", nil]),
  ]

  private static func every(_ variables: [String: String], _ proxy: String) -> ([String: String], [String?]) {
    (variables, [proxy, proxy, proxy, proxy])
  }

  @Test(arguments: table) func allServersGoByTheSameRule(variables: [String: String], proxies: [String?]) throws {
    let (apns, fcm) = try read(variables)
    let account = try #require(fcm.fallback)

    #expect(
      [apns.proxies[.production], apns.proxies[.sandbox], fcm.proxy, fcm.tokenProxies[account.tokenServer]]
        == proxies.map { $0.flatMap(Proxy.init(url:)) })
  }

  @Test(arguments: [
    "https://a:1", "socks5://a:1", "http://a:1/path", "http://:1", "http://me:é%40@a:1", "http://me:%4@a:1",
  ])
  func aProxyThatCannotBeUsedIsSaidOnceAndNotPassedOver(text: String) throws {
    let sentence = "unusable proxy: HTTPS_PROXY \(Proxy.form)."
    let environment = environment(["HTTPS_PROXY": text])

    #expect { try APNsConfiguration(environment) } throws: { ($0 as? FunctionError)?.message == sentence }
    #expect { try FCMConfiguration(environment) } throws: { ($0 as? FunctionError)?.message == sentence }
  }

  /// The proxy of pushes is tested with HTTP2's client, which is given the same value.
  @Test func everyByteOfUserAndPasswordArrivesAtTheProxyOfAccessTokens() async throws {
    let proxy = try TunnelProxy(answer: ["HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"], to: .end)
    let bytes = Array(UInt8.min...UInt8.max)
    let user = bytes.filter { $0 != UInt8(ascii: ":") }
    let userInfo = "\(encoded(user)):\(encoded(bytes))%2541"
    let (_, fcm) = try read(["HTTPS_PROXY": "http://\(userInfo)@127.0.0.1:\(proxy.port)"])
    let client = fcm.tokenClient(for: try #require(fcm.fallback), within: .seconds(120))

    await #expect(throws: HTTPClientError.self) { try await client.send(HTTPCall(.get, "https://push.example/")) }

    let value = Data(user + Array(":".utf8) + bytes + Array("%41".utf8)).base64EncodedString()
    #expect(proxy.heads.count == 1 && proxy.heads[0].contains("\r\nProxy-Authorization: Basic \(value)\r\n"))
  }

  private func encoded(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
  }

  @Test func thePasswordIsNotShown() throws {
    let (apns, fcm) = try read(["HTTPS_PROXY": "http://me:hunter2@localhost:3128"])

    #expect(!"\(apns) \(fcm)".contains("hunter2") && !String(reflecting: fcm).contains("hunter2"))
  }

  private func environment(_ changes: [String: String]) -> Environment {
    let base = [
      "APNS_KEY_ID": "ABC123DEFG", "APNS_TEAM_ID": "DEF123GHIJ", "APNS_BUNDLE_ID": "com.example.app",
      "APNS_KEY_PATH": "\(directory.path)/a.p8", "APNS_PRODUCTION": "false",
      "FCM_SERVICE_ACCOUNT_PATH": "\(directory.path)/account.json",
    ]
    return Environment(base.merging(changes) { $1 })
  }

  private func read(_ changes: [String: String]) throws -> (APNsConfiguration, FCMConfiguration) {
    let environment = environment(changes)
    return (try APNsConfiguration(environment), try #require(try FCMConfiguration(environment)))
  }
}
