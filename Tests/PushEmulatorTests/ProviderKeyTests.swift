import FunctionKit
import HTTP2
import HTTPClient
import Signing
import TestSupport
import Testing

@testable import PushEmulator

/// Keys, teams and provider tokens, over HTTP/2 and TLS.
@Suite(.heavy)
struct ProviderKeyTests {
  @Test func keysOfSeveralTeamsSignAndARevokedOneDoesNot() async throws {
    try await withEmulator { emulator, _ in
      let sender = try await SampleSender(emulator, "SECONDKEY1", team: "SECONDTEAM")
      let push = try emulator.push().with(["authorization": try sender.token()])

      #expect(try await withClient(emulator) { try await $0.reason(push) } == "")
      try await withClient(emulator) { client in
        #expect(try await client.reason(push) == "")
        try await emulator.script("/keys/SECONDKEY1", "", .delete)
        #expect(try await client.reason(push) == "InvalidProviderToken")
      }
      let left = try await emulator.json("/keys")["keys"]?.elements?.map { $0["keyId"]?.stringValue }
      #expect(left == ["LOCALKEY01"])
    }
  }

  @Test func aConnectionBelongsToTheTeamOfItsFirstPush() async throws {
    try await withEmulator { emulator, client in
      let other = try await SampleSender(emulator, "SECONDKEY1", team: "SECONDTEAM")

      #expect(try await client.reason(try emulator.push()) == "")
      let push = try emulator.push().with(["authorization": try other.token()])

      #expect(try await client.reason(push) == "InvalidProviderToken")
      #expect(try await client.reason(try emulator.push()) == "")
      #expect(try await withClient(emulator) { try await $0.reason(push) } == "")
    }
  }

  @Test func aKeyForCertainTopicsHasAConnectionOfItsOwnAndNoOtherTopics() async throws {
    try await withEmulator { emulator, client in
      let sender = try await SampleSender(
        emulator, "TOPICKEY01", team: "LOCALTEAM1", #","topics":["com.example.app"]"#)
      let push = try emulator.push().with(["authorization": try sender.token()])
      #expect(try await client.reason(try emulator.push()) == "")

      #expect(try await client.reason(push) == "UnrelatedKeyIdInToken")

      try await withClient(emulator) { client in
        let right = try await client.reason(push)
        let wrong = try await client.reason(push.with(["apns-topic": "com.example.other"]))
        #expect([right, wrong] == ["", "TopicDisallowed"])
      }
    }
  }

  @Test func aKeyIsForItsEnvironment() async throws {
    try await withEmulator { emulator, client in
      let sandbox = try await SampleSender(emulator, "SANDBOXKEY", team: "LOCALTEAM1", #","environments":["sandbox"]"#)
      let push = try emulator.push().with(["authorization": try sandbox.token()])

      #expect(try await client.reason(push) == "BadEnvironmentKeyIdInToken")
      #expect(try await withClient(emulator, to: "APNS_SANDBOX_URL") { try await $0.reason(push) } == "")
    }
  }

  @Test func aSecondTokenOnAConnectionHasToWaitTwentyMinutes() async throws {
    try await withEmulator { emulator, client in
      let sender = try await SampleSender(emulator, "SECONDKEY1", team: "SECONDTEAM")
      let first = try emulator.push().with(["authorization": try sender.token()])
      let second = try emulator.push().with(["authorization": try sender.token(in: 1)])
      #expect(try await client.reason(first) == "")

      let early = try await client.answer(to: second)
      #expect(early.status == 429 && early.text == #"{"reason":"TooManyProviderTokenUpdates"}"#)
      #expect(try await client.reason(first) == "")
      #expect(try await withClient(emulator) { try await $0.reason(second) } == "")

      try await emulator.script("/clock", #"{"offset":1199}"#, .put)
      #expect(try await client.reason(second) == "TooManyProviderTokenUpdates")
      try await emulator.script("/clock", #"{"offset":1201}"#, .put)
      #expect(try await client.reason(second) == "")
      #expect(try await client.reason(first) == "")
    }
  }

  @Test func theWholeTeamMayBeHeldToOneTokenInTwentyMinutes() async throws {
    try await withEmulator(["--token-updates", "team"]) { emulator, client in
      let sender = try await SampleSender(emulator, "SECONDKEY1", team: "SECONDTEAM")
      let first = try emulator.push().with(["authorization": try sender.token()])
      let second = try emulator.push().with(["authorization": try sender.token(in: 1)])
      #expect(try await client.reason(first) == "")

      #expect(try await withClient(emulator) { try await $0.reason(second) } == "TooManyProviderTokenUpdates")
      // Another host of APNs, which has seen no token yet.
      #expect(try await withClient(emulator, to: "APNS_SANDBOX_URL") { try await $0.reason(second) } == "")
      try await emulator.script("/clock", #"{"offset":1201}"#, .put)
      #expect(try await withClient(emulator) { try await $0.reason(second) } == "")
    }
  }

  @Test func aTokenIsTooOldAfterAnHourOfTheVirtualClock() async throws {
    try await withEmulator { emulator, client in
      #expect(try await client.reason(try emulator.push()) == "")
      try await emulator.script("/clock", #"{"offset":3700}"#, .put)

      #expect(try await client.reason(try emulator.push()) == "ExpiredProviderToken")
    }
  }

  @Test(arguments: [
    ("der", "the signature is DER, not 64 bytes"), ("padded", "base64 with padding"), ("string", "iat is a string"),
  ])
  func oddTokensNeedLeniencyAndAreNoted(oddity: String, warning: String) async throws {
    try await withEmulator(["--lenient-provider-tokens"]) { emulator, client in
      let odd = try oddAuthorization(oddity)
      try await emulator.script("/keys", String(decoding: try OddToken.key().bytes, as: UTF8.self))

      #expect(try await client.reason(try emulator.push().with(["authorization": odd])) == "")

      let warnings = try await emulator.pushes().first?["provider"]?["warnings"]?.elements
      #expect(warnings?.map(\.stringValue) == [warning])
    }
    try await withEmulator { emulator, client in
      try await emulator.script("/keys", String(decoding: try OddToken.key().bytes, as: UTF8.self))
      let push = try emulator.push().with(["authorization": try oddAuthorization(oddity)])
      #expect(try await client.reason(push) == "InvalidProviderToken")
    }
  }

  @Test func keysComeFromAFile() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(try SigningKey.generate().privatePEM(), to: "AuthKey_FILEKEY001.p8")
    let path = try directory.write(
      #"{"keys":[{"keyId":"FILEKEY001","teamId":"FILETEAM01","path":"AuthKey_FILEKEY001.p8","topics":["a.b"]}]}"#,
      to: "keys.json")

    let emulator = try await RunningEmulator.start(["--keys", path])

    let keys = try await emulator.json("/keys")["keys"]?.elements ?? []
    #expect(keys.map { $0["keyId"]?.stringValue } == ["FILEKEY001", "LOCALKEY01"])
    #expect(keys.first?["topics"]?.elements?.map(\.stringValue) == ["a.b"])
    await emulator.stop()
    try directory.write(#"{"keys":[{"keyId":"X","teamId":"Y","path":"missing.p8"}]}"#, to: "keys.json")
    await #expect(throws: FunctionError.self) { try await RunningEmulator.start(["--keys", path]) }
  }

  @Test func anUnclearKeyIsRefused() async throws {
    try await withEmulator { emulator, _ in
      for body in [
        "{}", #"{"keyId":"A/B","teamId":"T"}"#, #"{"keyId":"A","teamId":"T","publicKey":"x"}"#,
        #"{"keyId":"A","teamId":"T","path":"/etc/passwd"}"#, #"{"keyId":"A","teamId":"T","environments":["moon"]}"#,
      ] {
        let answer = try await emulator.ask("/keys", .post, body: body)

        #expect(answer.status == 400, "\(body)")
        let json = try RawJSON(validating: answer.body[...])
        #expect(json["error"]?.stringValue?.hasSuffix(".") == true, "\(body)")
      }
    }
  }

  private func oddAuthorization(_ oddity: String) throws -> String {
    switch oddity {
    case "der": try OddToken.authorization { $0.der() }
    case "padded": try OddToken.authorization(padding: "==")
    default: try OddToken.authorization(quotesTime: true)
    }
  }
}
