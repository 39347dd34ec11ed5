import FunctionKit
import HTTP2
import HTTPClient
import TestSupport
import Testing

@testable import PushEmulator

/// Firebase Cloud Messaging as a sender meets it over HTTP/2 and TLS.
@Suite(.heavy)
struct FCMTests {
  @Test func aMessageIsTakenAndShown() async throws {
    try await withFCM { emulator, client, app, token in
      let message =
        #"{"token":"dev:1","notification":{"title":"Hi","body":"B"},"data":{"type":"new_vote"},"android":{"collapse_key":"k","ttl":"60s","notification":{"tag":"t"}}}"#

      let answer = try await client.answer(to: app.send(message, token: token))

      #expect(answer.status == 200)
      let push = try #require(try await emulator.pushes("provider=fcm&kind=new_vote").first)
      let name = try RawJSON(validating: answer.body[...])["name"]?.stringValue
      #expect(name?.hasPrefix("projects/push-emulator/messages/") == true && push["name"]?.stringValue == name)
      #expect(push["token"]?.stringValue == "dev:1" && push["collapseID"]?.stringValue == "t")
      #expect(try await emulator.json("/devices?token=dev:1")["shown"]?.intValue == 1)
    }
  }

  @Test func aWrongMessageIsABadRequest() async throws {
    let messages = [
      #"{"token":"x","data":{"n":1}}"#, #"{"token":"x","data":{"from":"a"}}"#, #"{"token":"x","data":{"gcm.a":"a"}}"#,
      #"{"token":"x","data":{"google.a":"a"}}"#, #"{"token":"x","topic":"y"}"#, #"{"data":{"a":"b"}}"#,
      #"{"token":"x","android":{"ttl":"2419201s"}}"#, #"{"token":"x","android":{"ttl":60}}"#,
      #"{"token":"x","android":{"ttl":"60"}}"#, #"{"token":"x","android":{"priority":"loud"}}"#,
      #"{"token":"x","colour":"red"}"#, #"{"token":"x","android":{"notification":{"colour":"red"}}}"#,
      #"{"token":"x","apns":{"headers":{"apns-priority":5}}}"#, #"{"token":"x","apns":{"payload":"x"}}"#, "[]",
      #"{"token":"x","data":{"a":"\#(String(repeating: "x", count: 4_096))"}}"#,
      #"{"topic":"x","data":{"a":"\#(String(repeating: "x", count: 2_048))"}}"#,
    ]
    try await withFCM { _, client, app, token in
      for message in messages {
        let answer = try await client.answer(to: app.send(message, token: token))
        #expect(answer.status == 400 && answer.fcmError == ["INVALID_ARGUMENT", "BadRequest"], "\(message)")
      }
    }
  }

  @Test func bothSpellingsAndLimitsAreAccepted() async throws {
    let messages = [
      #"{"token":"x","android":{"collapseKey":"k","ttl":"0s","priority":"HIGH"},"fcmOptions":{"analyticsLabel":"a"}}"#,
      #"{"token":"x","android":{"collapse_key":"k","ttl":"3.5s","priority":"high"},"fcm_options":{"analytics_label":"a"}}"#,
      #"{"token":"x","data":{"a":"\#(String(repeating: "x", count: 4_095))"}}"#, #"{"condition":"'a' in topics"}"#,
    ]
    try await withFCM { _, client, app, token in
      for message in messages {
        let answer = try await client.answer(to: app.send(message, token: token))
        #expect(answer.status == 200, "\(answer.text)")
      }
    }
  }

  @Test func aTokenThatCannotBeOneIsAnFCMError() async throws {
    try await withFCM(["--strict-tokens"]) { emulator, client, app, token in
      let answers = [
        try await client.answer(to: app.send(#"{"token":"not a token"}"#, token: token)),
        try await client.answer(to: app.send(#"{"token":"unknown"}"#, token: token)),
      ]

      #expect(answers.map(\.status) == [400, 400])
      #expect(answers.map(\.fcmError) == Array(repeating: ["INVALID_ARGUMENT", "INVALID_ARGUMENT"], count: 2))
      #expect(try await emulator.pushes("taken=true").isEmpty)
    }
  }

  @Test func everyErrorIsWordedAsFCMDoes() async throws {
    let errors: [(state: String, status: Int, words: [String])] = [
      (#"{"state":"unregistered"}"#, 404, ["NOT_FOUND", "UNREGISTERED"]),
      (#"{"project":"another"}"#, 403, ["PERMISSION_DENIED", "SENDER_ID_MISMATCH"]),
      (#"{"state":"invalid"}"#, 400, ["INVALID_ARGUMENT", "INVALID_ARGUMENT"]),
      (
        #"{"answers":[{"status":429,"reason":"QUOTA_EXCEEDED","retryAfter":60}]}"#, 429,
        ["RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"]
      ),
      (#"{"answers":[{"status":503,"reason":"UNAVAILABLE"}]}"#, 503, ["UNAVAILABLE", "UNAVAILABLE"]),
      (#"{"answers":[{"status":500,"reason":"INTERNAL"}]}"#, 500, ["INTERNAL", "INTERNAL"]),
      (
        #"{"answers":[{"status":401,"reason":"THIRD_PARTY_AUTH_ERROR"}]}"#, 401,
        ["UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"]
      ),
      (#"{"answers":[{"status":401,"reason":"UNAUTHENTICATED"}]}"#, 401, ["UNAUTHENTICATED", ""]),
      (#"{"answers":[{"status":400,"reason":"BadRequest"}]}"#, 400, ["INVALID_ARGUMENT", "BadRequest"]),
      (#"{"answers":[{"status":503,"reason":"ServiceUnavailable"}]}"#, 503, ["UNAVAILABLE", "UNAVAILABLE"]),
    ]
    try await withFCM { emulator, client, app, token in
      for (state, status, words) in errors {
        try await emulator.script("/devices/Dev:1", #"{"state":"registered"}"#)
        try await emulator.script("/devices/Dev:1", state)

        let answer = try await client.answer(to: app.send(#"{"token":"Dev:1"}"#, token: token))

        #expect(answer.status == status && answer.fcmError == words, "\(answer.text)")
        #expect(answer.headers["retry-after"] == (status == 429 ? "60" : nil))
        #expect(try await emulator.pushes("last=1").first?["status"]?.intValue == status)
      }
    }
  }

  @Test func onlyTheBearerOfTheProjectMaySend() async throws {
    try await withFCM { emulator, client, app, token in
      let message = #"{"token":"x"}"#
      let path = try await emulator.json("/accounts", .post, body: #"{"projectId":"second"}"#)["path"]?.stringValue
      let second = try SampleApp(emulator, account: path)
      let other = try await second.token(client)

      let unknown = try await client.answer(to: app.send(message, token: "guess"))
      let foreign = try await client.answer(to: app.send(message, token: other))
      let own = try await client.answer(to: second.send(message, token: other))
      try await emulator.script("/clock", #"{"offset":3601}"#, .put)
      let old = try await client.answer(to: app.send(message, token: token))

      #expect([unknown.status, foreign.status, own.status, old.status] == [401, 403, 200, 401])
      #expect(unknown.fcmError == ["UNAUTHENTICATED", ""])
    }
  }

  @Test func validateOnlySendsNothing() async throws {
    try await withFCM { emulator, client, app, token in
      let push = app.send(#"{"token":"x","notification":{"title":"T"}}"#, token: token, more: #""validateOnly":true,"#)

      let answer = try await client.answer(to: push)

      #expect(answer.status == 200)
      #expect(try await emulator.json("/devices")["shown"]?.intValue == 0)
    }
  }

  @Test func anOfflineDeviceKeepsTheNewestOfEachCollapseKeyAndAllWithout() async throws {
    try await withFCM { emulator, client, app, token in
      try await emulator.script("/devices/x", #"{"online":false}"#)
      let android = [#"{"collapse_key":"k"}"#, #"{"collapseKey":"k"}"#, "{}", "{}", #"{"ttl":"0s"}"#]
      for android in android {
        let message = #"{"token":"x","notification":{"title":"T"},"android":\#(android)}"#
        #expect(try await client.answer(to: app.send(message, token: token)).status == 200)
      }

      try await emulator.script("/devices/x", #"{"online":true}"#)

      #expect(try await emulator.json("/devices")["shown"]?.intValue == 3)
    }
  }

  @Test func faultsBefallOneServiceOnly() async throws {
    try await withFCM { emulator, client, app, token in
      try await emulator.script("/faults", #"{"service":"fcm","answer":{"status":500,"reason":"INTERNAL"}}"#)
      try await emulator.script("/faults", #"{"service":"oauth","answer":{"status":503,"reason":"backend_error"}}"#)

      #expect(try await client.answer(to: app.send(#"{"token":"x"}"#, token: token)).status == 500)
      #expect(try await client.answer(to: try app.exchange(app.claims())).status == 503)
      #expect(try await withClient(emulator) { try await $0.reason(try emulator.push()) } == "")
    }
  }

  @Test func otherPathsAndMethodsAreRefused() async throws {
    try await withFCM { _, client, app, token in
      var get = app.send(#"{"token":"x"}"#, token: token)
      get.method = "GET"
      var path = app.send(#"{"token":"x"}"#, token: token)
      path.path = "/v1/projects/push-emulator/messages"

      let statuses = [try await client.answer(to: get).status, try await client.answer(to: path).status]

      #expect(statuses == [405, 404])
    }
  }
}
