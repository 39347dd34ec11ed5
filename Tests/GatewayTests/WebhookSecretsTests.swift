import FoundationEssentials
import FunctionKit
import HTTP1
import Signing
import Testing

@testable import Gateway

struct WebhookSecretsTests {
  /// The published test vector of Standard Webhooks.
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
  private static let time = 1_614_265_330

  private func secrets(_ text: String?) throws -> WebhookSecrets {
    try WebhookSecrets("SECRET", of: Environment(text.map { ["SECRET": $0] } ?? [:]))
  }

  private func problem(
    _ secrets: String = secret, id: String = "msg_p5jXN8AQM9LWM0D4loKWxJek", time: String = "\(time)",
    signature: String = signature, body: String = #"{"test": 2432232314}"#, now: Int = time
  ) throws -> WebhookSecrets.Problem? {
    let request = HTTP1Request(
      method: "POST", path: "/",
      headers: ["webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature], body: Array(body.utf8))
    return try self.secrets(secrets).problem(of: request, now: now)
  }

  @Test func takesThePublishedExample() throws {
    #expect(try problem() == nil)
  }

  /// With the prefixes of Supabase's Auth Hooks, and with none.
  @Test(arguments: ["v1,\(secret)", String(secret.dropFirst(6)), "v1,\(secret.dropFirst(6))"])
  func takesASecretAsOthersShowIt(_ text: String) throws {
    #expect(try problem(text) == nil)
  }

  @Test func takesAnyOfSeveralSecretsAndSignatures() throws {
    let other = "whsec_\(Data(repeating: 7, count: 32).base64EncodedString())"

    #expect(try problem("\(other) \(Self.secret)") == nil)
    #expect(try problem(signature: "v1,AAAA v1a,xyz \(Self.signature)") == nil)
    #expect(try problem(other) == .signature)
  }

  @Test func whateverIsChangedIsNotSigned() throws {
    #expect(try problem(id: "msg_2") == .signature)
    #expect(try problem(time: "\(Self.time + 1)") == .signature)
    #expect(try problem(body: #"{"test": 2432232315}"#) == .signature)
  }

  @Test(arguments: ["", "v1,", "v1,g0hM9SsE", "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "v1"])
  func anotherSignatureIsNone(_ signature: String) throws {
    #expect(try problem(signature: signature) == .signature)
  }

  @Test(arguments: ["", "now", "1614265330.5", "99999999999999999999"])
  func aTimestampIsAWholeNumber(_ time: String) throws {
    #expect(try problem(time: time) == .signature)
  }

  @Test(arguments: [(-300, true), (300, true), (-301, false), (301, false)])
  func clocksMayBeFiveMinutesApart(_ offset: Int, _ isTaken: Bool) throws {
    #expect(try problem(now: Self.time + offset) == (isTaken ? nil : .timestamp))
  }

  @Test func aTimestampAtTheEndOfNumbersIsOutOfRange() throws {
    #expect(try problem(time: "\(Int.max)") == .timestamp)
    #expect(try problem(time: "\(Int.min)") == .timestamp)
  }

  @Test func withoutItsFieldsNothingIsSigned() throws {
    let request = HTTP1Request(method: "POST", path: "/", body: Array("{}".utf8))

    #expect(try secrets(Self.secret).problem(of: request, now: Self.time) == .signature)
  }

  @Test(arguments: [
    nil, "whsec_", "v1,", "v1,whsec_", "whsec_MfKQ9r8G", "MfKQ9r8G", "v1,whsec_MfKQ9r8G",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!", "whsec_v1,MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "v1a,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    Data(repeating: 7, count: 23).base64EncodedString(), Data(repeating: 7, count: 65).base64EncodedString(),
  ])
  func refusesWhatIsNoSecret(_ text: String?) {
    #expect {
      try secrets(text)
    } throws: {
      ($0 as? FunctionError)?.code == .misconfigured && "\($0)".contains("SECRET")
    }
  }
}
