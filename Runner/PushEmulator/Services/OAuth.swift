import Formats
import FoundationEssentials
import FunctionKit
import Signing

/// Google's token endpoint.
///
/// It takes a service account's signed assertion and gives a token for an hour (RFC 7523).
struct OAuth: Sendable {
  private(set) var accounts: [String: ServiceAccount] = [:]
  private var tokens: [String: Grant] = [:]

  /// The scope of an access token.
  struct Grant: Sendable {
    let projectID: String
    let expiresAt: Date
  }

  /// The lifetime of an access token, and the longest of an assertion, in seconds.
  static let lifetime = 3_600

  static let scopes = [
    "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
  ]
  static let googleAudience = "https://oauth2.googleapis.com/token"
  private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

  /// How far clocks may differ, in seconds.
  private static let leeway = 300

  /// A refusal in the form of RFC 6749 §5.2.
  struct Refusal: Error, Sendable, Equatable {
    let error: String
    let description: String

    static func grant(_ description: String) -> Refusal { Refusal(error: "invalid_grant", description: description) }

    var body: [UInt8] {
      Array(RawJSON(object: [("error", RawJSON(error)), ("error_description", RawJSON(description))]).bytes)
    }
  }

  mutating func add(_ account: ServiceAccount) {
    accounts[account.email] = account
  }

  /// The answer to `POST /token`.
  ///
  /// - Parameter url: the URL of this endpoint, which must be the assertion's audience.
  mutating func token(_ body: [UInt8], url: String, now: Date) throws(Refusal) -> [UInt8] {
    let form = Self.form(body)
    guard let grant = form["grant_type"] else {
      throw Refusal(error: "invalid_request", description: "Missing required parameter: grant_type")
    }
    guard grant == Self.grantType else {
      throw Refusal(error: "unsupported_grant_type", description: "Invalid grant_type: \(grant)")
    }
    guard let text = form["assertion"], let assertion = Assertion(text) else {
      throw .grant("Bad Request: the assertion is no JWT.")
    }
    let account = try check(assertion, url: url, now: Int(now.timeIntervalSince1970))
    let token = "ya29.local-\(UUID().lowercased)"
    tokens = tokens.filter { $0.value.expiresAt > now }
    tokens[token] = Grant(projectID: account.projectID, expiresAt: now.addingTimeInterval(Double(Self.lifetime)))
    return Array(
      RawJSON(object: [
        ("access_token", RawJSON(token)), ("expires_in", RawJSON(Self.lifetime)), ("token_type", RawJSON("Bearer")),
      ]).bytes)
  }

  /// The rights of an `authorization` field now.
  func grant(in authorization: String?, now: Date) -> Grant? {
    guard let words = authorization?.split(separator: " "), words.count == 2, words[0].lowercased() == "bearer",
      let grant = tokens[String(words[1])], grant.expiresAt > now
    else { return nil }
    return grant
  }

  private func check(_ assertion: Assertion, url: String, now: Int) throws(Refusal) -> ServiceAccount {
    guard let account = assertion.issuer.flatMap({ accounts[$0] }) else {
      throw .grant("Invalid grant: account not found")
    }
    guard assertion.algorithm == "RS256", account.key.verify(assertion.signature, of: assertion.signedBytes) else {
      throw .grant("Invalid JWT Signature.")
    }
    guard let audience = assertion.audience, [url, Self.googleAudience].contains(audience) else {
      throw .grant("Invalid JWT: Failed audience check.")
    }
    guard let issuedAt = assertion.issuedAt, let expiresAt = assertion.expiresAt, issuedAt <= now + Self.leeway,
      expiresAt > now - Self.leeway, expiresAt > issuedAt, expiresAt <= issuedAt + Self.lifetime
    else {
      throw .grant(
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim."
      )
    }
    guard assertion.scopes.contains(where: Self.scopes.contains) else {
      throw Refusal(error: "invalid_scope", description: "Invalid OAuth scope or ID token audience provided.")
    }
    return account
  }

  private static func form(_ body: [UInt8]) -> [String: String] {
    let text = String(decoding: body, as: UTF8.self)
    var form: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = PercentEncoding.formText(parts[0]) else { continue }
      form[name] = PercentEncoding.formText(parts[1])
    }
    return form
  }
}
