import FunctionKit
import HTTP2
import TestSupport
import Testing

@testable import PushEmulator

/// The token endpoint as a sender meets it over HTTP/2 and TLS.
@Suite(.heavy)
struct OAuthTests {
  @Test func aSignedAssertionIsWorthAnAccessTokenOfAnHour() async throws {
    try await withEmulator { emulator, _ in
      let answer = try await exchange(emulator) { try $0.exchange($0.claims()) }

      let json = try RawJSON(validating: answer.body[...])
      #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
      #expect(json["expires_in"]?.intValue == 3_600 && json["token_type"]?.stringValue == "Bearer")
    }
  }

  @Test func aWrongClaimIsRefused() async throws {
    let wrong: [(claims: [String: RawJSON], error: String)] = [
      (["iss": RawJSON("nobody@example.com")], "invalid_grant"),
      (["aud": RawJSON("https://example.com")], "invalid_grant"),
      (["scope": RawJSON("https://www.googleapis.com/auth/drive")], "invalid_scope"),
      (["iat": RawJSON(1), "exp": RawJSON(3_601)], "invalid_grant"),
      (["exp": RawJSON(4_000_000_000)], "invalid_grant"), (["iat": RawJSON(4_000_000_000)], "invalid_grant"),
      (["exp": RawJSON("soon")], "invalid_grant"),
    ]
    try await withEmulator { emulator, _ in
      for (claims, error) in wrong {
        let answer = try await exchange(emulator) { try $0.exchange($0.claims(claims)) }

        #expect(answer.status == 400)
        #expect(try RawJSON(validating: answer.body[...])["error"]?.stringValue == error, "\(claims.keys)")
      }
    }
  }

  @Test func aWrongSignatureOrGrantIsRefused() async throws {
    try await withEmulator { emulator, _ in
      let spoilt = try await exchange(emulator) { try $0.exchange($0.claims(), spoil: true) }
      let grant = try await exchange(emulator) { try $0.exchange($0.claims(), grant: "password") }

      #expect(spoilt.text == #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#)
      #expect(grant.status == 400 && grant.text.contains("unsupported_grant_type"))
    }
  }

  @Test func anAssertionForGooglesOwnAddressIsGood() async throws {
    try await withEmulator { emulator, _ in
      let audience = ["aud": RawJSON("https://oauth2.googleapis.com/token")]
      let answer = try await exchange(emulator) { try $0.exchange($0.claims(audience)) }

      #expect(answer.status == 200)
    }
  }

  private func exchange(
    _ emulator: RunningEmulator, _ request: (SampleApp) throws -> HTTP2Request
  ) async throws -> HTTP2Response {
    let request = try request(try SampleApp(emulator))
    return try await withClient(emulator, to: "FCM_URL") { try await $0.answer(to: request) }
  }
}
