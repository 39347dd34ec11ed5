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

    let first = await sender.send((0..<100).map { .fcm("d\($0)") }, until: .now + .seconds(60))
    let second = await sender.send([.fcm("e")], until: .now + .seconds(60))

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

    _ = await (try fake.sender(now: { now })).send([.fcm("a")], until: .now + .seconds(60))

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
      _ = await sender.send([.fcm("a")], until: .now + .seconds(60))
    }

    #expect(fake.messages.map(\.authorization) == ["Bearer token-0", "Bearer token-0", "Bearer token-1"])
  }

  @Test func severalBatchesAtOnceAskForOneAccessToken() async throws {
    let fake = try await FCMFake()
    let sender = try fake.sender()

    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 { group.addTask { _ = await sender.send([.fcm("d\(number)")], until: .now + .seconds(60)) } }
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

    let reports = await (try fake.sender()).send((0..<50).map { .fcm("d\($0)") }, until: .now + .seconds(60))

    #expect(reports.allSatisfy { $0.verdict == .accepted })
    #expect(fake.grants.count == 2 && fake.messages.count == 100)
  }

  @Test func anAccessTokenThatIsRefusedTwiceHoldsTheProject() async throws {
    let fake = try await FCMFake { $1.refuse(401, rpc: "UNAUTHENTICATED") }
    let sender = try fake.sender()

    let refused = await sender.send([.fcm("a")], until: .now + .seconds(60))
    let held = await sender.send([.fcm("b")], until: .now + .seconds(60))

    #expect(refused.map(\.verdict) == [.holdApp] && fake.messages.count == 2 && fake.grants.count == 2)
    guard case .notSent(let pause?) = held.first?.verdict else {
      Issue.record("sent")
      return
    }
    #expect(pause > .seconds(240) && held.first?.reason == "UNAUTHENTICATED")
  }

  @Test func aWrongKeyOrClockIsSaidSoAndNotAskedAgainAtOnce() async throws {
    let fake = try await FCMFake(grants: { _ in .noGrant(400, "invalid_grant") }) { $1.accept($0) }
    let sender = try fake.sender()

    let reports = await sender.send([.fcm("a")], until: .now + .seconds(60))
    _ = await sender.send([.fcm("b")], until: .now + .seconds(60))

    #expect(reports.first?.verdict == .notSent(pause: RetryTiming.configuration))
    let reason = try #require(reports.first?.reason)
    #expect(reason.contains("invalid_grant") && reason.contains("clock") && reason.contains("key"))
    #expect(fake.messages.isEmpty && fake.grants.count == 1)
  }

  @Test func aTokenEndpointInTroubleIsAskedAgainAfterTenSeconds() async throws {
    let fake = try await FCMFake(grants: { _ in HTTP2Response(status: 503) }) { $1.accept($0) }

    let reports = await (try fake.sender()).send([.fcm("a")], until: .now + .seconds(60))

    #expect(reports.map(\.verdict) == [.notSent(pause: .seconds(10))])
  }

  @Test func aReplacedKeyFileIsReadWithTheNextToken() async throws {
    let fake = try await FCMFake { message, responder in
      message.number == 0 ? responder.refuse(401) : responder.accept(message)
    }
    let sender = try fake.sender()
    let renamed = TestServiceAccount.json(email: "other@test-project.iam.gserviceaccount.com", tokenURI: fake.tokenURI)
    try fake.directory.write(renamed, to: "account.json")

    _ = await sender.send([.fcm("a")], until: .now + .seconds(60))

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
      [.fcm("a"), .fcm("b", app: "messageai"), .fcm("c", app: "lockitin")], until: .now + .seconds(60))
    let alone = try fake.sender(["FCM_SERVICE_ACCOUNT_PATH": "", "FCM_SERVICE_ACCOUNTS_PATH": list])
    let unserved = await alone.send([.fcm("d")], until: .now + .seconds(60))

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

    let refused = await sender.send([.fcm("a", app: "messageai"), .fcm("b")], until: .now + .seconds(60))
    let later = await sender.send([.fcm("c", app: "messageai"), .fcm("d")], until: .now + .seconds(60))

    #expect(refused.map(\.verdict) == [.holdApp, .accepted])
    #expect(later.last?.verdict == .accepted && later.first?.reason == "PERMISSION_DENIED")
    #expect(fake.messages.count == 3)
  }

  @Test func aWrongAPNsCredentialInFirebaseHoldsNobodyElse() async throws {
    let fake = try await FCMFake { message, responder in
      message.number == 0 ? responder.refuse(401, "THIRD_PARTY_AUTH_ERROR") : responder.accept(message)
    }
    let sender = try fake.sender()

    let first = await sender.send([.fcm("a")], until: .now + .seconds(60))
    let second = await sender.send([.fcm("b")], until: .now + .seconds(60))

    #expect((first + second).map(\.verdict) == [.holdApp, .accepted])
    #expect(fake.grants.count == 1)
  }

  @Test func outOfQuotaSlowsTheWholeProjectDown() async throws {
    let fake = try await FCMFake { $1.refuse(429, "QUOTA_EXCEEDED", after: 30) }
    let sender = try fake.sender()

    let refused = await sender.send((0..<20).map { .fcm("d\($0)") }, until: .now + .seconds(60))
    let next = await sender.send([.fcm("e")], until: .now + .seconds(60))

    #expect(refused.allSatisfy { $0.verdict == .backOff(atLeast: .seconds(30)) })
    guard case .notSent(let pause?) = next.first?.verdict else {
      Issue.record("sent")
      return
    }
    #expect(pause > .seconds(25) && fake.messages.count == 20)
  }

  @Test func aBacklogFromAColdStartGoesOutGradually() async throws {
    let fake = try await FCMFake()
    let sender = try fake.sender(limits: FCMSender.Limits(pacing: .milliseconds(500)))
    let started = ContinuousClock.now

    let reports = await sender.send((0..<1_500).map { .fcm("d\($0)") }, until: .now + .seconds(60))

    let sent = reports.filter { $0.verdict == .accepted }.count
    let seconds = started.duration(to: .now) / .seconds(1)
    // The saved-up messages, and those of a rate that grows to 10,000 a second within a minute.
    #expect(sent >= 500 && Double(sent) <= 501 + 10_000 / 120 * seconds * seconds)
    #expect(reports.filter { $0.reason == "Paced" }.count == 1_500 - sent)
    #expect(sent == 1_500 || reports.last?.verdict == .notSent(pause: .seconds(1)))
  }
}
