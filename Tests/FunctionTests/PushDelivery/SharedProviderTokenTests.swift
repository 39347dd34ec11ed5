import DeliveryLive
import FoundationEssentials
import FunctionKit
import Glibc
import HTTP2
import Notifications
import Postgres
import PushLive
import Signing
import Synchronization
import TestSupport
import Testing

/// One provider token for all processes of a team, no matter what happens to them.
@Suite(.heavy)
struct SharedProviderTokenTests {
  @Test func manySendersAtOnceMakeOneToken() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask { _ = try await apns.sender(tokens: fixture.tokens()).send([.test("t\(number)")]) }
      }
      try await group.waitForAll()
    }

    #expect(apns.pushes.count == 8 && Set(apns.pushes.map(\.authorization)).count == 1)
    #expect(apns.pushes.first?.authorization == "bearer \(try await fixture.storedToken() ?? "")")
  }

  @Test func twoProcessesSendWithOneToken() async throws {
    let fixture = try await DeliveryFixture()
    let waiting = Mutex((connections: Set<UInt64>(), responders: [HTTP2Responder]()))
    // Neither gets an answer before both have sent something, or the quicker one could send all.
    let apns = try await APNsFake { push, responder in
      waiting.withLock { waiting in
        waiting.connections.insert(push.connection)
        waiting.responders.append(responder)
        guard waiting.connections.count == 2 else { return }
        waiting.responders.forEach { $0.answer(200) }
        waiting.responders = []
      }
    }
    try await fixture.enqueue((0..<2_000).map { "token-\($0)" })
    let environment = apns.environment.merging(["DATABASE_URL": fixture.url]) { $1 }

    async let first = BuiltExecutables.run("push-delivery", stdin: "{}", environment: environment)
    async let second = BuiltExecutables.run("push-delivery", stdin: "{}", environment: environment)
    let exits = try await [first.exit, second.exit]

    #expect(exits == [0, 0] && apns.pushes.count == 2_000 && apns.connections == 2)
    #expect(Set(apns.pushes.map(\.authorization)).count == 1)
  }

  @Test func aProcessThatStartsAnewSendsWithTheTokenThatIsThere() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    let environment = apns.environment.merging(["DATABASE_URL": fixture.url]) { $1 }

    for token in ["aa", "bb"] {
      try await fixture.enqueue([token])
      _ = try await BuiltExecutables.run("push-delivery", stdin: "{}", environment: environment)
    }

    #expect(apns.pushes.map(\.token) == ["aa", "bb"] && apns.connections == 2)
    #expect(Set(apns.pushes.map(\.authorization)).count == 1)
  }

  @Test func nothingIsSentWithATokenThatWasNotCommitted() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    try await fixture.enqueue(["aa"])
    let environment = apns.environment.merging(["DATABASE_URL": fixture.url]) { $1 }
    try await fixture.stopCommitsOfProviderTokens()
    let input = try apns.directory.write("{}", to: "event.json")
    let command = "exec '\(BuiltExecutables.path(of: "push-delivery"))' < '\(input)'"

    let program = try RunningProgram("/bin/sh", ["-c", command], environment: environment)
    try await fixture.wait(
      until: """
        EXISTS (
          SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted)
        """)
    program.send(SIGKILL)
    try await program.exit()
    #expect(apns.pushes.isEmpty)
    try await fixture.letCommitsGo()
    try await fixture.endLeases()
    let next = try await BuiltExecutables.run("push-delivery", stdin: "{}", environment: environment)

    #expect(next.exit == 0)
    #expect(apns.pushes.map(\.authorization) == ["bearer \(try await fixture.storedToken() ?? "")"])
  }

  @Test func sendersThatFindItTooOldReplaceItOnce() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    let clock = Mutex(fixture.now)
    let senders = try (0..<4).map { _ in
      try apns.sender(tokens: fixture.tokens(), now: { clock.withLock(\.self) })
    }
    for sender in senders { _ = await sender.send([.test("early")]) }

    for minutes in [49, 2] {
      clock.withLock { $0 += Double(minutes) * 60 }
      await withTaskGroup { group in
        for sender in senders { group.addTask { _ = await sender.send([.test("after-\(minutes)")]) } }
      }
    }

    let tokens = Dictionary(grouping: apns.pushes, by: \.token).mapValues { Set($0.map(\.authorization)) }
    #expect(tokens["early"] == tokens["after-49"] && tokens["after-2"]?.count == 1)
    #expect(Set(apns.pushes.map(\.authorization)).count == 2 && apns.pushes.count == 12)
  }

  @Test(arguments: [0, 30, 49]) func aRenewedTokenGoesByNoConnectionThatCarriedAnother(minutes: Double) async throws {
    let fixture = try await DeliveryFixture()
    let carried = Mutex<[UInt64: String]>([:])
    // Apple counts a provider's tokens on each connection.
    let apns = try await APNsFake { push, responder in
      let first = carried.withLock { carried in
        carried[push.connection] = carried[push.connection] ?? push.authorization
        return carried[push.connection]
      }
      let isFirst = first == push.authorization
      responder.answer(isFirst ? 200 : 429, isFirst ? nil : "TooManyProviderTokenUpdates")
    }
    let clock = Mutex(fixture.now)
    func sender() throws -> APNsSender {
      try apns.sender(tokens: fixture.tokens(), now: { clock.withLock(\.self) })
    }
    _ = try await sender().send([.test("aa")])
    clock.withLock { $0 += minutes * 60 }
    let later = try sender()
    _ = await later.send([.test("bb")])

    clock.withLock { $0 += (51 - minutes) * 60 }
    let renewed = await later.send((0..<20).map { .test("cc-\($0)") })

    #expect(renewed.allSatisfy { $0.verdict == .accepted })
    #expect(apns.connections == 3 && Set(apns.pushes.map(\.authorization)).count == 2)
  }

  @Test func whatIsOnItsWayWithTheOldTokenIsStillAnswered() async throws {
    let fixture = try await DeliveryFixture()
    let slow = Mutex<HTTP2Responder?>(nil)
    let clock = Mutex(fixture.now)
    let (arrivals, arrived) = AsyncStream<Void>.makeStream()
    let apns = try await APNsFake { push, responder in
      guard push.token == "slow" else {
        slow.withLock { $0.take() }?.answer(200)
        return responder.answer(200)
      }
      slow.withLock { $0 = responder }
      clock.withLock { $0 += 51 * 60 }
      arrived.yield()
    }
    let sender = try apns.sender(tokens: fixture.tokens(), now: { clock.withLock(\.self) })
    _ = await sender.send([.test("aa")])

    async let waiting = sender.send([.test("slow")])
    for await _ in arrivals { break }
    let fast = await sender.send([.test("fast")])

    #expect(await (waiting + fast).map(\.verdict) == [.accepted, .accepted])
    #expect(apns.connections == 2)
  }

  @Test func aTokenFromTheFarFutureIsReplaced() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    _ = try await apns.sender(tokens: fixture.tokens(), now: { [now = fixture.now] in now + 8 * 86_400 })
      .send([.test("aa")])

    _ = try await apns.sender(tokens: fixture.tokens(), now: { [now = fixture.now] in now }).send([.test("bb")])

    let dates = apns.pushes.compactMap { $0.jwt?.issuedAt.map { Date(timeIntervalSince1970: $0) } }
    #expect(dates == [fixture.now + 8 * 86_400, fixture.now])
  }

  @Test func anExpiredTokenIsReplacedByTheOneThatAnotherProcessHasMade() async throws {
    let fixture = try await DeliveryFixture()
    let expired = Mutex<String?>(nil)
    let apns = try await APNsFake { push, responder in
      let isOld = push.authorization == expired.withLock(\.self)
      responder.answer(isOld ? 403 : 200, isOld ? "ExpiredProviderToken" : nil)
    }
    let clock = Mutex(fixture.now)
    let senders = try (0..<2).map { _ in
      try apns.sender(tokens: fixture.tokens(), now: { clock.withLock(\.self) })
    }
    for sender in senders { _ = await sender.send([.test("aa")]) }
    expired.withLock { $0 = apns.pushes.first?.authorization }

    clock.withLock { $0 += 21 * 60 }
    let first = await senders[0].send([.test("bb")])
    clock.withLock { $0 += 60 }
    let second = await senders[1].send([.test("cc")])

    #expect((first + second).map(\.verdict) == [.accepted, .accepted])
    #expect(Set(apns.pushes.map(\.authorization)).count == 2)
  }

  @Test func withoutItsTableNothingIsSentAndTheLogSaysWhy() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    try await fixture.enqueue(["aa"])
    _ = try await fixture.connection.query("DROP TABLE push_provider_tokens")
    let environment = apns.environment.merging(["DATABASE_URL": fixture.url]) { $1 }

    let outcome = try await BuiltExecutables.run("push-delivery", stdin: "{}", environment: environment)

    #expect(outcome.exit == 0 && outcome.stdout.contains(#""retried":1"#) && apns.pushes.isEmpty)
    #expect(outcome.stderr.contains("push_provider_tokens is missing: run `runner migrate`"))
    #expect(try await fixture.delivery("aa").attempts == 0)
  }

  @Test func aRoleWithoutTheRightToThemIsTold() async throws {
    let fixture = try await DeliveryFixture()
    let role = "r\(UUID().uuidString.lowercased().filter { $0 != "-" })"
    try await fixture.connection.script("CREATE ROLE \(role); GRANT \(role) TO CURRENT_USER")
    let store = ProviderTokenStore.postgres(
      Connection(url: "\(fixture.url)&options=-c%20role%3D\(role)", applicationName: "test"))

    await #expect(throws: ProviderTokensUnusable.notPermitted) {
      try await store.token(
        ProviderTokenID(teamID: "T", keyID: "K", environment: .sandbox),
        .init(isMet: { _ in true }, make: { ProviderToken(bearer: "t", issuedAt: .now) }))
    }
    try await fixture.connection.script("DROP ROLE \(role)")
  }

  @Test func aReplacedKeyIsUsedAtOnceOnANewConnection() async throws {
    let fixture = try await DeliveryFixture()
    let right = try SigningKey.generate()
    let verifier = try right.verificationKey()
    let apns = try await APNsFake { push, responder in
      let isRight = push.jwt?.isSigned(by: verifier) == true
      responder.answer(isRight ? 200 : 403, isRight ? nil : "InvalidProviderToken")
    }
    let sender = try apns.sender(tokens: fixture.tokens())
    let refused = await sender.send([.test("aa"), .test("bb")])

    try apns.directory.write(try right.privatePEM(), to: "AuthKey.p8")
    let accepted = await sender.send([.test("aa"), .test("bb")])

    #expect(refused.map(\.verdict).first == .holdCredential)
    #expect(accepted.map(\.verdict) == [.accepted, .accepted])
    #expect(apns.pushes.count == 3 && apns.connections == 2)
  }

  @Test func aKeyFileThatIsHalfWrittenChangesNothing() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    let sender = try apns.sender(tokens: fixture.tokens())
    _ = await sender.send([.test("aa")])

    try apns.directory.write("-----BEGIN PRIVATE KEY-----\nMIGH", to: "AuthKey.p8")
    let reports = await sender.send([.test("bb")])

    #expect(reports.map(\.verdict) == [.accepted] && apns.connections == 1)
    #expect(Set(apns.pushes.map(\.authorization)).count == 1)
  }
}

extension DeliveryFixture {
  /// The shared tokens by a connection of its own.
  func tokens() -> ProviderTokenStore {
    .postgres(Connection(url: url, applicationName: "test"))
  }

  func storedToken() async throws -> String? {
    try await connection.query("SELECT token FROM push_provider_tokens").only()["token"]
  }

  /// From now on the commit of a new token waits.
  fileprivate func stopCommitsOfProviderTokens() async throws {
    try await connection.script(
      """
      SELECT pg_advisory_lock(4711);
      CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(4711);
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER wait_for_test AFTER UPDATE ON push_provider_tokens
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_for_test();
      """)
  }

  fileprivate func letCommitsGo() async throws {
    try await connection.script("SELECT pg_advisory_unlock(4711)")
  }

  /// Asks the database until the answer is yes.
  func wait(within limit: Duration = .seconds(120), until question: SQL) async throws {
    try await connection.wait(within: limit, until: question)
  }
}
