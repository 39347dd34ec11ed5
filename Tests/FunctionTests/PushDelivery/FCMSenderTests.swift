import Formats
import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import PushLive
import Signing
import Synchronization
import TestSupport
import Testing

/// The sender against a real HTTP/2 server.
struct FCMSenderTests {
  @Test func asksForOneAccessTokenAndSendsEverythingByOneConnection() async throws {
    let fake = try await FCMFake()
    let sender = try fake.sender()

    let first = await sender.send((0..<100).map { .fcm("d\($0)") })
    let second = await sender.send([.fcm("e")])

    #expect((first + second).allSatisfy { $0.verdict == .accepted && $0.status == 200 && $0.provider == .fcm })
    #expect(second.first?.apnsID == "0:100%31" && second.first?.topic == "test-project")
    #expect(fake.grants.count == 1 && fake.connections == 1)
    #expect(Set(fake.messages.map(\.authorization)) == ["Bearer token-0"])
    #expect(Set(fake.messages.map(\.path)) == ["/v1/projects/test-project/messages:send"])
    #expect(Set(fake.messages.map(\.token)).count == 101)
  }

  @Test func theAssertionIsWhatGoogleAsksFor() async throws {
    let fake = try await FCMFake()
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    _ = await (try fake.sender(now: { now })).send([.fcm("a")])

    let form = try #require(fake.grants.first)
    let assertion = try #require(form.split(separator: "assertion=").last).split(separator: ".")
    #expect(form.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="))
    let parts = assertion.compactMap { Base64URL.decode($0) }
    let claims = try RawJSON(validating: try #require(parts.dropFirst().first)[...])
    #expect(try RawJSON(validating: parts[0][...])["alg"]?.stringValue == "RS256")
    #expect(claims["iss"]?.stringValue == "sender@test-project.iam.gserviceaccount.com")
    #expect(claims["scope"]?.stringValue == "https://www.googleapis.com/auth/firebase.messaging")
    #expect(claims["aud"]?.stringValue == fake.tokenURI)
    #expect(claims["iat"]?.intValue == 1_800_000_000 && claims["exp"]?.intValue == 1_800_003_600)
    let key = try RSASigningKey(pem: TestServiceAccount.rsaKey)
    #expect(key.verify(parts[2], of: Array("\(assertion[0]).\(assertion[1])".utf8)))
  }

  @Test func anAccessTokenIsReplacedFiveMinutesBeforeItEnds() async throws {
    let fake = try await FCMFake()
    let clock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    let sender = try fake.sender(now: { clock.withLock(\.self) })

    for seconds in [0.0, 3_299, 1] {
      clock.withLock { $0 += seconds }
      _ = await sender.send([.fcm("a")])
    }

    #expect(fake.messages.map(\.authorization) == ["Bearer token-0", "Bearer token-0", "Bearer token-1"])
  }

  @Test func severalBatchesAtOnceAskForOneAccessToken() async throws {
    let fake = try await FCMFake()
    let sender = try fake.sender()

    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 { group.addTask { _ = await sender.send([.fcm("d\(number)")]) } }
    }

    #expect(fake.messages.count == 20 && fake.grants.count == 1 && fake.connections == 1)
  }

  @Test func aRefusedAccessTokenIsRefreshedOnce() async throws {
    let fake = try await FCMFake { message, responder in
      if message.authorization == "Bearer token-0" {
        responder.refuse(401, rpc: "UNAUTHENTICATED")
      } else {
        responder.accept(message)
      }
    }

    let reports = await (try fake.sender()).send((0..<50).map { .fcm("d\($0)") })

    #expect(reports.allSatisfy { $0.verdict == .accepted })
    #expect(fake.grants.count == 2 && fake.messages.count == 100)
  }

  @Test func anAccessTokenThatIsRefusedTwiceHoldsTheProject() async throws {
    let fake = try await FCMFake { $1.refuse(401, rpc: "UNAUTHENTICATED") }
    let clock = ManualClock()
    let sender = try fake.sender(time: SenderTime(clock))

    let refused = await sender.send([.fcm("a")])
    clock.advance(by: .seconds(60))
    let held = await sender.send([.fcm("b")])

    #expect(refused.map(\.verdict) == [.holdApp] && fake.messages.count == 2 && fake.grants.count == 2)
    #expect(held.map(\.verdict) == [.notSent(pause: RetryTiming.configuration - .seconds(60))])
    #expect(held.map(\.reason) == ["UNAUTHENTICATED"])
  }

  @Test func aWrongKeyOrClockIsSaidSoAndNotAskedAgainAtOnce() async throws {
    let fake = try await FCMFake(grants: { _ in .noGrant(400, "invalid_grant") }) { $1.accept($0) }
    let sender = try fake.sender()

    let reports = await sender.send([.fcm("a")])
    _ = await sender.send([.fcm("b")])

    #expect(reports.first?.verdict == .notSent(pause: RetryTiming.configuration))
    let reason = try #require(reports.first?.reason)
    #expect(reason.contains("invalid_grant") && reason.contains("clock") && reason.contains("key"))
    #expect(fake.messages.isEmpty && fake.grants.count == 1)
  }

  @Test func aTokenEndpointInTroubleIsAskedAgainAfterTenSeconds() async throws {
    let fake = try await FCMFake(grants: { _ in HTTP2Response(status: 503) }) { $1.accept($0) }

    let reports = await (try fake.sender()).send([.fcm("a")])

    #expect(reports.map(\.verdict) == [.notSent(pause: .seconds(10))])
  }

  @Test func aReplacedKeyFileIsReadWithTheNextToken() async throws {
    let fake = try await FCMFake { message, responder in
      message.number == 0 ? responder.refuse(401) : responder.accept(message)
    }
    let sender = try fake.sender()
    let renamed = TestServiceAccount.json(email: "other@test-project.iam.gserviceaccount.com", tokenURI: fake.tokenURI)
    try fake.directory.write(renamed, to: "account.json")

    _ = await sender.send([.fcm("a")])

    let claims = fake.grants.compactMap { $0.split(separator: ".").dropFirst().first.flatMap(Base64URL.decode) }
    #expect(claims.map { String(decoding: $0, as: UTF8.self).contains("other@") } == [true, true])
  }

  @Test func eachAppGoesThroughItsOwnProject() async throws {
    let fake = try await FCMFake()
    try fake.directory.write(
      TestServiceAccount.json(project: "chat-project", tokenURI: fake.tokenURI), to: "chat.json")
    let list = try fake.directory.write(#"{"accounts":[{"app":"messageai","path":"chat.json"}]}"#, to: "accounts.json")
    let sender = try fake.sender(["FCM_SERVICE_ACCOUNTS_PATH": list])

    let reports = await sender.send(
      [.fcm("a"), .fcm("b", app: "messageai"), .fcm("c", app: "lockitin")])
    let alone = try fake.sender(["FCM_SERVICE_ACCOUNT_PATH": "", "FCM_SERVICE_ACCOUNTS_PATH": list])
    let unserved = await alone.send([.fcm("d")])

    #expect(reports.map(\.topic) == ["test-project", "chat-project", "test-project"])
    let paths = Dictionary(fake.messages.map { ($0.token, $0.path) }) { $1 }
    #expect(paths["b"] == "/v1/projects/chat-project/messages:send" && paths["c"]?.contains("test-project") == true)
    #expect(unserved.map(\.reason) == ["NoServiceAccount"] && paths["d"] == nil)
    #expect(unserved.map(\.verdict) == [.notSent(pause: RetryTiming.configuration)])
  }

  @Test func aBrokenConfigurationHoldsItsProjectOnly() async throws {
    let fake = try await FCMFake { message, responder in
      message.path.contains("chat-project")
        ? responder.refuse(403, rpc: "PERMISSION_DENIED") : responder.accept(message)
    }
    try fake.directory.write(
      TestServiceAccount.json(project: "chat-project", tokenURI: fake.tokenURI), to: "chat.json")
    let list = try fake.directory.write(#"{"accounts":[{"app":"messageai","path":"chat.json"}]}"#, to: "accounts.json")
    let sender = try fake.sender(["FCM_SERVICE_ACCOUNTS_PATH": list])

    let refused = await sender.send([.fcm("a", app: "messageai"), .fcm("b")])
    let later = await sender.send([.fcm("c", app: "messageai"), .fcm("d")])

    #expect(refused.map(\.verdict) == [.holdApp, .accepted])
    #expect(later.last?.verdict == .accepted && later.first?.reason == "PERMISSION_DENIED")
    #expect(fake.messages.count == 3)
  }

  @Test func aWrongAPNsCredentialInFirebaseHoldsNobodyElse() async throws {
    let fake = try await FCMFake { message, responder in
      message.number == 0 ? responder.refuse(401, "THIRD_PARTY_AUTH_ERROR") : responder.accept(message)
    }
    let sender = try fake.sender()

    let first = await sender.send([.fcm("a")])
    let second = await sender.send([.fcm("b")])

    #expect((first + second).map(\.verdict) == [.holdApp, .accepted])
    #expect(fake.grants.count == 1)
  }

  @Test func outOfQuotaSlowsTheWholeProjectDown() async throws {
    let fake = try await FCMFake { $1.refuse(429, "QUOTA_EXCEEDED", after: 30) }
    let clock = ManualClock()
    let sender = try fake.sender(time: SenderTime(clock))

    let refused = await sender.send((0..<20).map { .fcm("d\($0)") })
    clock.advance(by: .seconds(29))
    let next = await sender.send([.fcm("e")])
    clock.advance(by: .seconds(1))
    let last = await sender.send([.fcm("f")])

    #expect(refused.allSatisfy { $0.verdict == .backOff(atLeast: .seconds(30)) })
    #expect(next.map(\.verdict) == [.notSent(pause: .seconds(1))])
    #expect(last.map(\.verdict) == [.backOff(atLeast: .seconds(30))] && fake.messages.count == 21)
  }

  @Test func aBacklogFromAColdStartGoesOutGradually() async throws {
    let fake = try await FCMFake()
    var limits = FCMSender.Limits.patient
    limits.pacing = .milliseconds(500)
    let sender = try fake.sender(limits: limits, time: SenderTime(ManualClock()))

    let reports = await sender.send((0..<1_500).map { .fcm("d\($0)") })

    // The saved-up messages, and those of half a second of a rate that grows to 10,000 a second within a minute.
    let sent = 500 + 10_000 / 60 / 2 / 4
    #expect(reports.map(\.verdict).prefix(sent).allSatisfy { $0 == .accepted } && fake.messages.count == sent)
    #expect(reports.dropFirst(sent).allSatisfy { $0.verdict == .notSent(pause: .seconds(1)) && $0.reason == "Paced" })
  }
}
