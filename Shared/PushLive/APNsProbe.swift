import EventLoop
public import FoundationEssentials
import HTTP2
public import Notifications

/// A question to APNs that costs nothing: a push without a provider token, which tests the way there and back.
///
/// No device is addressed and no credential sent. APNs answers 403 `MissingProviderToken`.
public struct APNsProbe: Sendable {
  private let configuration: APNsConfiguration

  /// A probe of the servers that pushes go to.
  public init(_ configuration: APNsConfiguration) {
    self.configuration = configuration
  }

  /// What the server said.
  public struct Answer: Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// APNs' reason.
    public var reason: String?
    /// The server's clock, where it says the time.
    public var date: Date?
  }

  /// Why there is no answer.
  public struct Silence: Error, Sendable, CustomStringConvertible {
    /// One line without secrets.
    public let description: String
    /// Whether the server's certificate was not trusted.
    public let isUntrusted: Bool
  }

  /// Whether pushes go to a server that `APNS_URL` names, the same for both environments, and not to Apple.
  public var isElsewhere: Bool { configuration.server != .apple }

  /// Host and port of an environment's server.
  public func host(_ environment: PushEnvironment) -> String { "\(configuration.endpoint(environment))" }

  /// Asks the server of an environment; never longer than both limits together.
  public func ask(
    _ environment: PushEnvironment, connecting: Duration = .seconds(10), answer limit: Duration = .seconds(10)
  ) async throws(Silence) -> Answer {
    let loop = EventLoop(name: "apns-probe")
    defer { loop.stop() }
    let endpoint = configuration.endpoint(environment)
    let client: HTTP2Client
    do {
      client = try await HTTP2Client.connect(
        to: endpoint, trust: configuration.trust, connectTimeout: connecting, loop: loop)
    } catch {
      var isUntrusted = false
      if case .certificateRefused = error { isUntrusted = true }
      throw Silence(description: "\(error)", isUntrusted: isUntrusted)
    }
    let result = await client.send(Self.request(to: endpoint, topic: configuration.bundleID), timeout: limit)
    await client.close()
    switch result {
    case .success(let response):
      let answer = PushAnswer(response)
      return Answer(
        status: answer.status, reason: answer.reason, date: response.headers["date"].flatMap(HTTPDate.date))
    case .failure(let failure): throw Silence(description: "no answer (\(failure))", isUntrusted: false)
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
