import FoundationEssentials
import FunctionKit
import HTTP2
import HTTPClient
import Signing

@testable import PushEmulator

/// A provider with a key of its own.
struct SampleSender {
  let keyID: String
  let teamID: String
  private let signer: SigningKey

  /// Lets the emulator make and register a key.
  init(_ emulator: RunningEmulator, _ keyID: String, team teamID: String, _ more: String = "") async throws {
    let body = #"{"keyId":"\#(keyID)","teamId":"\#(teamID)"\#(more)}"#
    let path = try await emulator.json("/keys", .post, body: body)["path"]?.stringValue ?? ""
    (self.keyID, self.teamID) = (keyID, teamID)
    signer = try SigningKey(pem: String(decoding: try Files.contentsIfThere(of: path) ?? [], as: UTF8.self))
  }

  /// A new provider token, made that many seconds from now.
  func token(in seconds: Int = 0) throws -> String {
    let now = Int(Date.now.timeIntervalSince1970)
    return "bearer " + (try JWT.signed(with: signer, keyID: keyID, issuer: teamID, issuedAt: now + seconds))
  }
}

extension HTTP2Request {
  /// The same push with other header fields; `nil` removes one.
  func with(_ changes: KeyValuePairs<String, String?>) -> HTTP2Request {
    var request = self
    for (name, value) in changes {
      request.headers.removeAll { $0.name == name }
      if let value { request.headers.append(HTTP2Header(name, value)) }
    }
    return request
  }
}

extension HTTP2Client {
  /// The reason of a refusal; empty for 200.
  func reason(_ push: HTTP2Request) async throws -> String {
    let answer = try await answer(to: push)
    return answer.body.isEmpty ? "" : try RawJSON(validating: answer.body[...])["reason"]?.stringValue ?? ""
  }
}
