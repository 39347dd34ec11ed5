import FoundationEssentials
import FunctionKit
import HTTP2
import HTTPClient
import Notifications
import Signing

/// The OAuth access tokens of one service account. There is one at a time, and one request for all that wait for it.
actor AccessTokens {
  /// How long before its end a token is no longer used.
  static let margin = 5.0 * 60
  /// The longest pause after a failure.
  private static let longestPause = RetryTiming.configuration

  private let account: ServiceAccount
  private let http: HTTPClient
  /// The proxy that the client uses, to be named.
  private let proxy: Proxy?
  private let now: @Sendable () -> Date
  private let time: SenderTime
  private var current: AccessToken?
  private var asking: Task<Result<AccessToken, Outage>, Never>?
  private var hold: TimedOutage?
  private var failures = 0

  /// - Parameter now: the clock for the dates of assertions and the ends of pauses.
  init(
    _ account: ServiceAccount, http: HTTPClient, through proxy: Proxy?, now: @escaping @Sendable () -> Date,
    time: SenderTime
  ) {
    (self.account, self.http, self.proxy, self.now, self.time) = (account, http, proxy, now, time)
  }

  /// The present token.
  ///
  /// Asks for a new one if there is none or it ends within five minutes.
  func token() async -> Result<AccessToken, Outage> {
    if let current, current.expiresAt.timeIntervalSince(now()) > Self.margin { return .success(current) }
    if let asking { return await asking.value }
    if let outage = hold?.outage(at: time.moment(by: now)) { return .failure(outage) }
    // Its own task, because the first caller may be cancelled while others wait.
    let task = Task { await renew() }
    asking = task
    return await task.value
  }

  /// Drops a token that was refused, unless there is a newer one.
  func giveUp(_ token: AccessToken) {
    if current == token { current = nil }
  }

  private func renew() async -> Result<AccessToken, Outage> {
    defer { asking = nil }
    do {
      let token = try await request()
      (current, hold, failures) = (token, nil, 0)
      return .success(token)
    } catch {
      failures += 1
      let pause = error.isRefusal ? RetryTiming.configuration : RetryTiming.fcm(.reconnect(failures))
      hold = TimedOutage(
        error.reason, words: error.reason, for: pause, atMost: Self.longestPause, from: time.moment(by: now))
      return .failure(Outage(reason: error.reason, words: error.reason, pause: pause))
    }
  }

  private func request() async throws(AccessTokenFailure) -> AccessToken {
    // The file is read each time, so that a replaced key is used without a restart.
    let account = account.path.flatMap { try? ServiceAccount(path: $0) } ?? account
    return try await account.requestAccessToken(by: http, through: proxy, at: now()).token.get()
  }
}

/// Why there is no access token.
struct AccessTokenFailure: Error {
  let reason: String
  /// Whether another request makes no sense until the configuration is repaired.
  let isRefusal: Bool
  /// Why there was no answer, if there was none.
  var error: HTTPClientError?
}

extension ServiceAccount {
  /// Asks for an access token; returns the answer together with its meaning.
  func requestAccessToken(
    by http: HTTPClient, through proxy: Proxy?, at now: Date
  ) async throws(AccessTokenFailure) -> (answer: HTTPAnswer, token: Result<AccessToken, AccessTokenFailure>) {
    guard let assertion = try? assertion(issuedAt: Int(now.timeIntervalSince1970)) else {
      throw AccessTokenFailure(reason: "OAuth: the key cannot sign", isRefusal: true)
    }
    let body = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
    let call = HTTPCall(
      .post, tokenURI, headers: [("content-type", "application/x-www-form-urlencoded")], body: Array(body.utf8))
    do {
      let answer = try await http.send(call)
      return (answer, AccessToken.read(answer, askedAt: now))
    } catch {
      throw AccessTokenFailure(reason: "OAuth: \(error.words(through: proxy))", isRefusal: false, error: error)
    }
  }
}

/// The credential of a request to FCM.
struct AccessToken: Sendable, Equatable {
  let value: Secret<String>
  let expiresAt: Date

  static func == (left: AccessToken, right: AccessToken) -> Bool { left.value.exposed == right.value.exposed }
}

extension AccessToken {
  /// The longest token that fits into a header field.
  static let longest = 8_192
  /// No token is used for longer than a day, in seconds.
  static let longestLife = 86_400

  /// Reads the answer of the token's endpoint (RFC 6749 §5).
  ///
  /// A text that a header field cannot hold is not a token, because every message with it would be refused.
  static func read(_ answer: HTTPAnswer, askedAt: Date) -> Result<AccessToken, AccessTokenFailure> {
    let json = try? RawJSON(validating: answer.body[...])
    if answer.status == 200, let token = json?["access_token"]?.stringValue {
      guard (1...longest).contains(token.utf8.count), token.isVisibleASCII else {
        return .failure(AccessTokenFailure(reason: "OAuth: the access_token is none", isRefusal: false))
      }
      let life = min(max(json?["expires_in"]?.intValue ?? ServiceAccount.assertionLife, 0), longestLife)
      return .success(AccessToken(value: Secret(token), expiresAt: askedAt.addingTimeInterval(Double(life))))
    }
    let word = json?["error"]?.word
    let reason =
      switch word {
      case "invalid_grant"?: "OAuth invalid_grant: this machine's clock or the service account's key is wrong"
      case let word?: "OAuth \(word.prefix(64))"
      case nil: "OAuth: status \(answer.status)"
      }
    return .failure(AccessTokenFailure(reason: reason, isRefusal: [400, 401, 403].contains(answer.status)))
  }
}

extension Duration {
  fileprivate static func reconnect(_ failures: Int) -> Duration { RetryTiming.reconnect(failures: failures) }
}
