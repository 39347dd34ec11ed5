import FoundationEssentials
import Notifications
import PushLive
import TestSupport
import Testing

/// Pushes, messages and access tokens behind a proxy.
///
/// The servers' name has no address here, so only the proxy reaches them.
@Suite(.heavy)
struct ProxyDeliveryTests {
  /// A form of the variables, in which `PORT` stands for the proxy's, and what the proxy is told of the client.
  struct Form: Sendable {
    let variables: [String: String]
    var authorization: String?

    func variables(_ proxy: TunnelProxy) -> [String: String] {
      variables.mapValues { $0.replacing("PORT", with: "\(proxy.port)") }
    }
  }

  static let forms = [
    Form(variables: ["HTTPS_PROXY": "http://127.0.0.1:PORT"]), Form(variables: ["https_proxy": "127.0.0.1:PORT"]),
    Form(variables: ["https_proxy": "http://127.0.0.1:PORT", "HTTPS_PROXY": "http://127.0.0.1:1"]),
    Form(variables: ["https_proxy": "", "HTTPS_PROXY": "HTTP://localhost:PORT/"]),
    Form(variables: ["HTTPS_PROXY": "http://127.0.0.1:PORT", "NO_PROXY": "localhost,example.org,push.example:1"]),
    Form(variables: ["HTTPS_PROXY": "http://me:p%40ss@127.0.0.1:PORT"], authorization: "Basic bWU6cEBzcw=="),
    Form(variables: ["HTTPS_PROXY": "http://me@127.0.0.1:PORT"], authorization: "Basic bWU6"),
    Form(variables: ["HTTPS_PROXY": "http://pct:a%2541b@127.0.0.1:PORT"], authorization: "Basic cGN0OmElNDFi"),
    // The same address as an IPv6 address.
    Form(variables: ["HTTPS_PROXY": "http://[::ffff:127.0.0.1]:PORT"]),
  ]

  @Test(arguments: forms) func everythingGoesThroughIt(form: Form) async throws {
    let (apns, fcm) = (try await APNsFake(), try await FCMFake())
    let toAPNs = try TunnelProxy(to: .server(port: apns.port))
    let toFCM = try TunnelProxy(to: .server(port: fcm.port))

    let pushes = try await far(apns, form.variables(toAPNs)).send([.test("aa")])
    let messages = try await far(fcm, form.variables(toFCM)).send([.fcm("bb")])

    #expect(pushes.map(\.verdict) == [.accepted] && messages.map(\.verdict) == [.accepted])
    #expect(toAPNs.targets == ["push.example:\(apns.port)"])
    // One for the access token, one for the message.
    #expect(toFCM.targets == ["push.example:\(fcm.port)", "push.example:\(fcm.port)"])
    for head in toAPNs.heads + toFCM.heads {
      let line = head.split(separator: "\r\n").first { $0.hasPrefix("Proxy-Authorization: ") }
      #expect(line.map(String.init) == form.authorization.map { "Proxy-Authorization: \($0)" })
    }
  }

  @Test func aProxyThatRefusesKeepsEverythingBackAndIsNamed() async throws {
    let (apns, fcm) = (try await APNsFake(), try await FCMFake())
    let answer = "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"
    let proxy = try TunnelProxy(answer: [answer], to: .end)
    let variables = ["HTTPS_PROXY": "http://me:secret@127.0.0.1:\(proxy.port)"]

    let pushes = try await far(apns, variables).send([.test("aa")])
    let messages = try await far(fcm, variables).send([.fcm("bb")])

    for report in pushes + messages {
      let words = "the proxy 127.0.0.1:\(proxy.port) refused: HTTP/1.1 407 Proxy Authentication Required"
      #expect(report.verdict.wasNeverSent && report.reason?.hasSuffix(words) == true, "\(report)")
      #expect(report.outage == report.reason && report.reason?.contains("secret") == false)
    }
    #expect(apns.pushes.isEmpty && fcm.messages.isEmpty && fcm.grants.isEmpty)
  }

  @Test func thisMachineNeedsNone() async throws {
    let (apns, fcm) = (try await APNsFake(), try await FCMFake())
    let variables = ["HTTPS_PROXY": "http://127.0.0.1:1"]

    let pushes = try await apns.sender(variables).send([.test("aa")])
    let messages = try await fcm.sender(variables).send([.fcm("bb")])

    #expect(pushes.map(\.verdict) == [.accepted] && messages.map(\.verdict) == [.accepted])
  }

  private func far(_ apns: APNsFake, _ variables: [String: String]) throws -> APNsSender {
    try apns.sender(variables.merging(["APNS_URL": "https://push.example:\(apns.port)"]) { $1 })
  }

  private func far(_ fcm: FCMFake, _ variables: [String: String]) throws -> FCMSender {
    let host = "https://push.example:\(fcm.port)"
    let account = try fcm.directory.write(TestServiceAccount.json(tokenURI: "\(host)/token"), to: "far.json")
    return try fcm.sender(variables.merging(["FCM_URL": host, "FCM_SERVICE_ACCOUNT_PATH": account]) { $1 })
  }
}
