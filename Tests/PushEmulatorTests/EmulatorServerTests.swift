import EventLoop
import FunctionKit
import HTTP2
import HTTPClient
import TestSupport
import Testing

@testable import PushEmulator

@Suite(.heavy)
struct EmulatorServerTests {
  @Test func acceptsAPushAndShowsIt() async throws {
    try await withEmulator { emulator, client in
      let answer = try await client.send(try emulator.push(), timeout: .seconds(120)).get()

      #expect(answer.status == 200)
      let push = try #require(try await emulator.pushes().first)
      #expect(push["apnsID"]?.stringValue == answer.headers["apns-id"])
      #expect(push["payload"]?["aps"]?["alert"]?.stringValue == "Hi")
      #expect(push["provider"]?["teamID"]?.stringValue == "LOCALTEAM1")
    }
  }

  @Test func oneStreamUntilAValidTokenThenAThousand() async throws {
    try await withEmulator { emulator, client in
      #expect(await client.remoteMaxConcurrentStreams == 1)
      var refused = try emulator.push()
      refused.headers.removeFirst()
      #expect(try await client.send(refused, timeout: .seconds(120)).get().status == 403)
      #expect(await client.remoteMaxConcurrentStreams == 1)

      _ = try await client.send(try emulator.push(), timeout: .seconds(120)).get()
      // The answer to a PING comes after the SETTINGS that were sent with the answer to the push.
      _ = try await client.ping(timeout: .seconds(120)).get()

      #expect(await client.remoteMaxConcurrentStreams == 1_000)
    }
  }

  @Test func anOldTokenIsExpired() async throws {
    try await withEmulator { emulator, client in
      var push = try emulator.push()
      push.headers[0] = HTTP2Header("authorization", try emulator.authorization(age: 3_700))

      let answer = try await client.send(push, timeout: .seconds(120)).get()

      #expect(answer.status == 403)
      #expect(String(decoding: answer.body, as: UTF8.self) == #"{"reason":"ExpiredProviderToken"}"#)
    }
  }

  @Test func answersByScriptAndThenAsUsual() async throws {
    try await withEmulator { emulator, client in
      let script = #"{"answers":[{"status":503,"reason":"ServiceUnavailable"}]}"#
      #expect(try await emulator.ask("/devices/\(Samples.token)", .post, body: script).status == 204)

      let first = try await client.send(try emulator.push(), timeout: .seconds(120)).get()
      let second = try await client.send(try emulator.push(), timeout: .seconds(120)).get()

      #expect([first.status, second.status] == [503, 200])
    }
  }

  @Test func anUnregisteredDeviceAnswersWithItsTime() async throws {
    try await withEmulator { emulator, client in
      let body = #"{"state":"unregistered","since":1700000000000}"#
      _ = try await emulator.ask("/devices/\(Samples.token)", .post, body: body)

      let answer = try await client.send(try emulator.push(), timeout: .seconds(120)).get()

      #expect(answer.status == 410)
      #expect(String(decoding: answer.body, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":1700000000000}"#)
    }
  }

  @Test func canKeepSilentAndDropTheConnectionHavingTakenThePush() async throws {
    try await withEmulator { emulator, client in
      _ = try await emulator.ask("/devices/\(Samples.token)", .post, body: #"{"answers":["never","drop"]}"#)

      let silent = await client.send(try emulator.push(), timeout: .milliseconds(100))
      let dropped = await client.send(try emulator.push(), timeout: .seconds(120))

      #expect(throws: StreamFailure.timedOut) { try silent.get() }
      #expect(throws: StreamFailure.self) { try dropped.get() }
      #expect(try await emulator.pushes().map { $0["reason"]?.stringValue } == ["never", "drop"])
    }
  }

  @Test func aLongPollEndsWithTheFirstMatchingPush() async throws {
    try await withEmulator { emulator, client in
      let other = String(repeating: "cd", count: 32)
      async let waiting = emulator.pushes("since=0&token=\(other)&wait=30")

      _ = try await client.send(try emulator.push(), timeout: .seconds(120)).get()
      _ = try await client.send(try emulator.push(to: other), timeout: .seconds(120)).get()

      #expect(try await waiting.map { $0["token"]?.stringValue } == [other])
    }
  }

  @Test func aLongPollWithoutPushesEndsEmpty() async throws {
    try await withEmulator { emulator, _ in
      let answer = try await emulator.ask("/pushes?wait=1")

      #expect(answer.text == #"{"pushes":[],"next":0}"#)
    }
  }

  @Test func stoppingLetsThoseWhoWaitGo() async throws {
    let emulator = try await RunningEmulator.start()
    let status = try await withClient(emulator) { client in
      async let waiting = client.send(emulator.question("/pushes?wait=60"), timeout: .seconds(120))
      while await client.openStreams == 0 { await Task.yield() }
      // It is answered after the question before it has begun to wait.
      _ = try await client.send(emulator.question("/pushes"), timeout: .seconds(120)).get()

      await emulator.stop()

      return try await waiting.get().status
    }

    #expect(status == 200)
  }

  @Test func showsWhatADeviceShowsNow() async throws {
    try await withEmulator { emulator, client in
      for text in ["one", "two"] {
        var push = try emulator.push(#"{"aps":{"alert":"\#(text)"}}"#)
        push.headers.append(HTTP2Header("apns-collapse-id", "same"))
        _ = try await client.send(push, timeout: .seconds(120)).get()
      }

      let json = try RawJSON(validating: try await emulator.ask("/devices?token=\(Samples.token)").body[...])

      let shown = json["devices"]?.elements?.first?["notifications"]?.elements ?? []
      #expect(shown.map { $0["push"]?["payload"]?["aps"]?["alert"]?.stringValue } == ["two"])
    }
  }

  @Test func aResetForgets() async throws {
    try await withEmulator { emulator, client in
      _ = try await emulator.ask("/devices/\(Samples.token)", .post, body: #"{"state":"unregistered","since":1}"#)
      _ = try await client.send(try emulator.push(), timeout: .seconds(120)).get()

      #expect(try await emulator.ask("/pushes", .delete).status == 204)

      #expect(try await emulator.pushes().isEmpty)
      #expect(try await client.send(try emulator.push(), timeout: .seconds(120)).get().status == 200)
    }
  }

  @Test func aRestartKeepsKeysAndPushes() async throws {
    let first = try await RunningEmulator.start()
    let authorization = try first.authorization()
    try await withClient(first) { client in
      _ = try await client.send(try first.push(), timeout: .seconds(120)).get()
    }
    await first.stop()

    let second = try await RunningEmulator.start(in: first.directory)
    var push = try second.push()
    push.headers[0] = HTTP2Header("authorization", authorization)
    let status = try await withClient(second) { client in
      try await client.send(push, timeout: .seconds(120)).get().status
    }

    #expect(status == 200)
    #expect(try await second.pushes().map { $0["seq"]?.intValue } == [1, 2])
    await second.stop()
  }

  @Test func aSecondEmulatorInTheSameDirectoryIsRefused() async throws {
    let first = try await RunningEmulator.start()

    await #expect(throws: FunctionError.self) { try await RunningEmulator.start(in: first.directory) }

    await first.stop()
  }

  @Test func otherSitesAndNamesHaveNoAccess() async throws {
    try await withEmulator { emulator, _ in
      let foreign = HTTPCall(.get, "\(emulator.url)/pushes", headers: [("host", "evil.example")])
      let crossSite = HTTPCall(.get, "\(emulator.url)/pushes", headers: [("origin", "https://evil.example")])

      let statuses = [
        try await emulator.client.send(foreign).status, try await emulator.client.send(crossSite).status,
      ]

      #expect(statuses == [421, 403])
    }
  }

  @Test func aClientThatTrustsAnotherAuthorityIsNotConnected() async throws {
    let other = try await RunningEmulator.start()
    try await withEmulator { emulator, _ in
      let client = HTTPClient(trust: .certificateAuthority(path: other.authority))

      await #expect(throws: HTTPClientError.self) { try await client.send(HTTPCall(.get, "\(emulator.url)/pushes")) }
    }
    await other.stop()
  }
}
