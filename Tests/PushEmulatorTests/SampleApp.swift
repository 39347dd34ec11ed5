import Formats
import FoundationEssentials
import FunctionKit
import HTTP2
import Signing

@testable import PushEmulator

/// A sender to FCM with the service account of an emulator.
struct SampleApp {
  let project: String
  let email: String
  let tokenURL: String
  private let key: RSASigningKey
  private let authority: String

  /// - Parameter path: the file of another account than the first.
  init(_ emulator: RunningEmulator, account path: String? = nil) throws {
    let path = path ?? emulator.environment["FCM_SERVICE_ACCOUNT_PATH"]?.stringValue ?? ""
    let file = try RawJSON(validating: (try Files.contentsIfThere(of: path) ?? [])[...])
    project = file["project_id"]?.stringValue ?? ""
    email = file["client_email"]?.stringValue ?? ""
    tokenURL = file["token_uri"]?.stringValue ?? ""
    key = try RSASigningKey(pem: file["private_key"]?.stringValue ?? "")
    authority = emulator.endpoint("FCM_URL").description
  }

  /// The claims of an assertion unless a test says otherwise.
  func claims(_ changes: [String: RawJSON] = [:], now: Int = Int(Date.now.timeIntervalSince1970)) -> RawJSON {
    let claims = [
      "iss": RawJSON(email), "aud": RawJSON(tokenURL), "iat": RawJSON(now), "exp": RawJSON(now + 3_600),
      "scope": RawJSON("https://www.googleapis.com/auth/firebase.messaging"),
    ]
    return RawJSON(object: claims.merging(changes) { $1 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  /// The request for an access token.
  func exchange(
    _ claims: RawJSON, grant: String = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer", spoil: Bool = false
  ) throws -> HTTP2Request {
    let text = [Array(#"{"alg":"RS256","typ":"JWT"}"#.utf8), Array(claims.bytes)].map(Base64URL.encode).joined(
      separator: ".")
    var signature = try key.sign(Array(text.utf8))
    if spoil { signature[9] ^= 1 }
    let body = "grant_type=\(grant)&assertion=\(text).\(Base64URL.encode(signature))"
    return HTTP2Request(
      path: "/token", authority: authority,
      headers: [HTTP2Header("content-type", "application/x-www-form-urlencoded")], body: Array(body.utf8))
  }

  /// An access token.
  func token(_ client: HTTP2Client) async throws -> String {
    let answer = try await client.answer(to: try exchange(claims()))
    return try RawJSON(validating: answer.body[...])["access_token"]?.stringValue ?? ""
  }

  /// The request that sends a message.
  func send(_ message: String, token: String, project: String? = nil, more: String = "") -> HTTP2Request {
    HTTP2Request(
      path: "/v1/projects/\(project ?? self.project)/messages:send", authority: authority,
      headers: [HTTP2Header("authorization", "Bearer \(token)"), HTTP2Header("content-type", "application/json")],
      body: Array(#"{\#(more)"message":\#(message)}"#.utf8))
  }
}

/// Runs with an emulator, its FCM face, and an access token.
func withFCM(
  _ words: [String] = [], _ body: (RunningEmulator, HTTP2Client, SampleApp, String) async throws -> Void
) async throws {
  try await withEmulator(words) { emulator, _ in
    try await withClient(emulator, to: "FCM_URL") { client in
      let app = try SampleApp(emulator)
      try await body(emulator, client, app, try await app.token(client))
    }
  }
}

extension HTTP2Response {
  /// FCM's error: its status and the code of its details, `BadRequest` for the details of one.
  var fcmError: [String] {
    let error = (try? RawJSON(validating: body[...]))?["error"]
    let details = error?["details"]?.elements?.first
    let code = details?["@type"]?.stringValue?.hasSuffix("google.rpc.BadRequest") == true ? "BadRequest" : nil
    return [error?["status"]?.stringValue ?? "", code ?? details?["errorCode"]?.stringValue ?? ""]
  }
}
