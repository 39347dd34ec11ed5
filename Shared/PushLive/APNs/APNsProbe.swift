import EventLoop
import Formats
package import FoundationEssentials
import HTTP2
package import Notifications

/// A test of the connection to APNs: a push without a provider token, which has no effect.
///
/// It names no device and sends no credential. APNs answers 403 `MissingProviderToken`.
package struct APNsProbe: Sendable {
  private let configuration: APNsConfiguration

  /// A probe of the servers that pushes go to.
  package init(_ configuration: APNsConfiguration) {
    self.configuration = configuration
  }

  /// The server's answer.
  package struct Answer: Sendable, Equatable {
    package var status: Int
    /// The member `reason` of the body.
    package var reason: String?
    /// The server's clock, where it says the time.
    package var date: Date?
  }

  /// Why there is no answer.
  package struct Silence: Error, Sendable, CustomStringConvertible {
    /// One line without secrets.
    package let description: String
    /// The thing to look at.
    package let cause: SilenceCause
  }

  /// Host and port of an environment's server.
  package func host(_ environment: PushEnvironment) -> String { "\(configuration.endpoint(environment))" }

  /// Asks the server of an environment, for at most both limits together.
  package func ask(
    _ environment: PushEnvironment, connecting: Duration = .seconds(10), answer limit: Duration = .seconds(10)
  ) async throws(Silence) -> Answer {
    let loop = EventLoop(name: "apns-probe")
    defer { loop.stop() }
    let endpoint = configuration.endpoint(environment)
    let proxy = configuration.proxies[environment]
    let client: HTTP2Client
    do {
      client = try await configuration.connect(environment, within: connecting, on: loop)
    } catch {
      throw Silence(
        description: error.words(through: proxy), cause: SilenceCause(error, behindProxy: proxy != nil))
    }
    let result = await client.send(Self.request(to: endpoint, topic: configuration.bundleID), timeout: limit)
    await client.close()
    switch result {
    case .success(let response):
      let answer = PushAnswer(response)
      return Answer(
        status: answer.status, reason: answer.reason, date: response.headers["date"].flatMap(HTTPDate.date))
    case .failure(let failure):
      let way = proxy.map { ", through the proxy \($0)" } ?? ""
      throw Silence(description: "no answer (\(failure))\(way)", cause: .silent(proxy != nil))
    }
  }

  private static func request(to endpoint: Endpoint, topic: String) -> HTTP2Request {
    HTTP2Request(
      path: "/3/device/\(String(repeating: "0", count: 64))", authority: endpoint.authority,
      headers: [
        HTTP2Header("apns-topic", topic), HTTP2Header("apns-push-type", "alert"), HTTP2Header("apns-priority", "5"),
        HTTP2Header("apns-expiration", "0"), HTTP2Header("content-type", "application/json"),
      ],
      body: Array(#"{"aps":{}}"#.utf8))
  }
}
