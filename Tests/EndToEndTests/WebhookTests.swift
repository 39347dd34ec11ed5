import Foundation
import FunctionKit
import Signing
import TestSupport
import Testing

/// Webhooks from outside, signed as Standard Webhooks says.
@Suite(.heavy)
struct WebhookTests {
  private static let key = Array("0123456789abcdef01234567".utf8)
  private static let manifest = """
    {"functions":{"hook":{"executable":"\(BuiltExecutables.path(of: "echo"))",
      "triggers":[{"http":"signature","secret":"HOOK_SECRET"}]}}}
    """

  private func serve() async throws -> Served {
    let (old, new) = (Data(repeating: 1, count: 24), Data(Self.key))
    let secrets = [old, new].map { "whsec_\($0.base64EncodedString())" }.joined(separator: " ")
    return try await RunningRunner(
      Self.manifest, environment: ["HOOK_SECRET": secrets, "RUNNER_KEY": "nobody-needs-this-here"]
    ).start()
  }

  private func signed(
    _ body: String, id: String = "msg_1", time: Date = .now
  ) -> [(name: String, value: String)] {
    let seconds = Int(time.timeIntervalSince1970)
    let code = HMACSHA256.code(for: Array("\(id).\(seconds).\(body)".utf8), key: Self.key)
    return [
      ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
      ("webhook-signature", "v1,\(Data(code).base64EncodedString())"),
    ]
  }

  @Test(arguments: [
    #"{"a":1}"#, "\u{FEFF}{}", #"{"type":"INSERT","table":"t","record":{"a":1},"schema":"public","old_record":null}"#,
    #"{"specversion":"1.0","id":"own","source":"/s","type":"t","data":{"a":1}}"#,
  ])
  func whatIsSignedArrivesUnderItsID(_ body: String) async throws {
    let served = try await serve()

    let answer = try await served.call("hook", body, headers: signed(body))

    #expect(answer.status == 200)
    #expect(answer.json?["id"]?.stringValue == "msg_1")
    #expect(answer.json?["source"]?.stringValue == "/http/hook")
  }

  @Test func theEventsOfASignedBatchKeepTheirIDs() async throws {
    let served = try await serve()
    let events = ["a", "b"].map { #"{"specversion":"1.0","id":"\#($0)","source":"/s","type":"t","data":{}}"# }
    let (body, type) = ("[\(events.joined(separator: ","))]", ("Content-Type", "application/cloudevents-batch+json"))

    let answer = try await served.call("hook", body, headers: signed(body) + [type])
    let forged = try await served.call("hook", "\(body) ", headers: signed(body) + [type])

    #expect((answer.status, forged.status) == (200, 401))
    #expect(answer.json?.elements?.map { $0["body"]?["id"]?.stringValue } == ["a", "b"])
  }

  @Test func whatIsNotSignedIsRefused() async throws {
    let served = try await serve()

    let unsigned = try await served.call("hook", "{}")
    #expect((unsigned.status, unsigned.json?["code"]?.stringValue) == (401, "INVALID_SIGNATURE"))
    let forged = try await served.call("hook", #"{"a":2}"#, headers: signed(#"{"a":1}"#))
    #expect((forged.status, forged.json?["code"]?.stringValue) == (401, "INVALID_SIGNATURE"))
    let old = try await served.call("hook", "{}", headers: signed("{}", time: .now - 301))
    #expect((old.status, old.json?["code"]?.stringValue) == (401, "TIMESTAMP_OUT_OF_RANGE"))
    #expect(try await served.call("hook", "{}", headers: signed("{}", time: .now - 290)).status == 200)
  }

  @Test(arguments: [[:], ["HOOK_SECRET": "whsec_short"]])
  func withoutItsSecretTheRunnerDoesNotStart(_ environment: [String: String]) async throws {
    let runner = try await RunningRunner(Self.manifest, environment: environment)

    let outcome = try await runner.run(["serve", "--port", "0"])

    #expect(outcome.exit == 78)
    #expect(outcome.stderr.contains("HOOK_SECRET"))
  }
}
