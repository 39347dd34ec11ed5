import EventLoop
import Formats
package import FoundationEssentials
import FunctionKit
import HTTP2
import HTTPClient
import Notifications

/// Tests of Google's servers that send no message: for an access token, and for the right to send.
package struct FCMProbe: Sendable {
  private let configuration: FCMConfiguration
  private let account: ServiceAccount

  /// A probe with one service account.
  package init(_ configuration: FCMConfiguration, _ account: ServiceAccount) {
    (self.configuration, self.account) = (configuration, account)
  }

  /// The result of a test.
  package struct Outcome: Sendable {
    /// The failure as one line without secrets; `nil` if there was none.
    package var problem: String?
    /// The thing to look at, if a server gave no answer.
    package var cause: SilenceCause?
    /// The server's clock, where it says the time.
    package var date: Date?
  }

  /// Asks for an access token, and with `validating` whether FCM would take a message of this account.
  ///
  /// FCM does not send that message (`validate_only`); the device that it names does not exist.
  package func ask(validating: Bool, now: Date = .now) async -> Outcome {
    let http = configuration.tokenClient(for: account, within: .seconds(10))
    let proxy = configuration.tokenProxies[account.tokenServer]
    do {
      let (answer, token) = try await account.requestAccessToken(by: http, through: proxy, at: now)
      var outcome = Outcome(problem: nil, date: answer["date"].flatMap(HTTPDate.date))
      switch token {
      case .success(let token): if validating { (outcome.problem, outcome.cause) = await refusal(of: token) }
      case .failure(let failure): outcome.problem = failure.reason
      }
      return outcome
    } catch {
      return Outcome(
        problem: error.reason, cause: error.error.map { SilenceCause($0, behindProxy: proxy != nil) }, date: nil)
    }
  }

  private func refusal(of token: AccessToken) async -> (problem: String?, cause: SilenceCause?) {
    let proxy = configuration.proxy
    let loop = EventLoop(name: "fcm-probe")
    defer { loop.stop() }
    let client: HTTP2Client
    do {
      client = try await configuration.connect(within: .seconds(10), on: loop)
    } catch {
      return (
        "\(configuration.endpoint): \(error.words(through: proxy))", SilenceCause(error, behindProxy: proxy != nil)
      )
    }
    let request = HTTP2Request(
      path: "/v1/projects/\(account.projectID)/messages:send", authority: configuration.endpoint.authority,
      headers: [
        HTTP2Header("authorization", "Bearer \(token.value.exposed)", indexing: .never),
        HTTP2Header("content-type", "application/json"),
      ],
      body: Array(#"{"validate_only":true,"message":{"token":"push-doctor"}}"#.utf8))
    let result = await client.send(request, timeout: .seconds(10))
    await client.close()
    switch result {
    case .success(let response):
      let answer = FCMAnswer(response, now: .now)
      // FCM checks the account's right before the device, so a refused device means that the account has the right.
      let isAllowed = answer.status == 200 || answer.status == 400 || answer.errorCode == "UNREGISTERED"
      return (isAllowed ? nil : "FCM answers \(answer.status) \(answer.reason ?? "")", nil)
    case .failure(let failure):
      let way = proxy.map { ", through the proxy \($0)" } ?? ""
      return ("\(configuration.endpoint): no answer (\(failure))\(way)", .silent(proxy != nil))
    }
  }
}
