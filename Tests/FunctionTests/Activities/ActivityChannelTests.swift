import DeliveryLive
import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import Postgres
import TestSupport
import Testing

@testable import ActivityChannels

/// The function that creates, uses and deletes broadcast channels.
@Suite(.heavy)
struct ActivityChannelTests {
  private static let create = "POST /1/apps/com.example.lockit/channels"
  private static let broadcast = "POST /4/broadcasts/apps/com.example.lockit"
  private static let delete = "DELETE /1/apps/com.example.lockit/channels"
  private static let channel = "Y2hhbm5lbA=="

  @Test func aChannelThatIsAskedForIsCreatedOnce() async throws {
    let scene = try await ChannelScene()

    #expect(try await scene.run() == [.created])
    #expect(try await scene.run() == [])

    #expect(try await scene.row() == "live \(Self.channel)")
    #expect(scene.calls == [Self.create])
    #expect(scene.apns.pushes.first?.body == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
  }

  @Test func itSaysTheNewestContentOnce() async throws {
    let scene = try await ChannelScene()
    try await scene.want("update", 7)
    try await scene.want("update", 9)

    #expect(try await scene.run() == [.created, .said])
    #expect(try await scene.run() == [])

    #expect(try await scene.row() == "live \(Self.channel) 9")
    let push = try #require(scene.apns.pushes.last)
    #expect("\(push.method) \(push.path)" == Self.broadcast && push.headers["apns-channel-id"] == Self.channel)
    #expect(push.headers["apns-push-type"] == "liveactivity" && push.headers["apns-priority"] == "5")
    #expect(push.headers["apns-expiration"] == "1893873600" && push.headers["apns-topic"] == nil)
    let aps = try #require(try RawJSON(validating: Array(push.body.utf8)[...])["aps"])
    #expect(aps["event"]?.stringValue == "update" && aps["timestamp"]?.intValue == 9)
    #expect(aps["stale-date"]?.intValue == 1_893_873_600 && aps["content-state"]?["votes"]?.intValue == 5)
  }

  @Test func afterTheEndTheActivitiesHaveEndedAndTheChannelKeepsTheEnd() async throws {
    let scene = try await ChannelScene()
    _ = try await scene.run()
    try await scene.demo.connection.script(
      """
      INSERT INTO live_activities (device_token_id, user_id, app, attributes_type, subject_id, channel_id)
      SELECT t.id, t.user_id, t.app, '\(ActivityScene.type)', '\(Demo.proposal)',
        CASE WHEN t.user_id = '\(Person.eva.id)' THEN '\(ChannelScene.row)'::uuid END
      FROM device_tokens t WHERE t.app = 'lockitin'
      """)
    try await scene.want("end", 11, ChannelScene.content.replacing("open", with: "closed"), priority: 10)

    #expect(try await scene.run() == [.said])
    #expect(try await scene.run() == [])

    #expect(try await scene.row() == "ended \(Self.channel) 11")
    #expect(scene.calls == [Self.create, Self.broadcast])
    let looks = try await scene.demo.connection.query(
      "SELECT max(extract(epoch FROM due_at))::bigint AS at FROM activity_changes"
    ).only().decode("at", as: Int.self)
    #expect(looks == Int(ChannelScene.now.timeIntervalSince1970) + 12 * 3_600)
    let aps = try RawJSON(validating: Array(scene.apns.pushes[1].body.utf8)[...])["aps"]
    #expect(aps?["event"]?.stringValue == "end")
    #expect(aps?["dismissal-date"]?.intValue == Int(ChannelScene.now.timeIntervalSince1970) + 900)
    let wrong = try await scene.demo.number(
      "SELECT count(*)::int FROM live_activities WHERE (channel_id IS NULL) <> (ended_at IS NULL)")
    let ended = try await scene.demo.number("SELECT count(*)::int FROM live_activities WHERE ended_reason = 'ended'")
    #expect(wrong == 0 && ended > 0)
  }

  @Test func aChannelWhoseSubjectIsOpenAgainWhileItsEndIsOnItsWayStaysInUse() async throws {
    let scene = try await ChannelScene()
    try await scene.want("end", 11)
    try await scene.set("state = 'live', channel = \(Self.channel)")
    let store = ChannelStore(scene.demo.connection(of: "activity-channels"))
    guard case .say(let end, _) = try await store.next(ChannelScene.row, at: ChannelScene.now)?.deed else {
      Issue.record("nothing is to be said")
      return
    }
    try await scene.want("update", 12)

    try await store.said(end, row: ChannelScene.row, at: ChannelScene.now)

    #expect(try await scene.row() == "live \(Self.channel) 11")
    #expect(try await scene.run() == [.said])
    #expect(try await scene.row() == "live \(Self.channel) 12")
  }

  @Test func aChannelThatHasEndedSaysAnotherEnd() async throws {
    let scene = try await ChannelScene()
    try await scene.set("state = 'ended', channel = \(Self.channel), said_stamp = 11")
    try await scene.want("end", 12, ChannelScene.content.replacing("open", with: "confirmed"), priority: 10)

    #expect(try await scene.run() == [.said])

    #expect(try await scene.row() == "ended \(Self.channel) 12" && scene.calls == [Self.broadcast])
  }

  @Test func withoutAnAnswerNoSecondChannelIsCreated() async throws {
    let scene = try await ChannelScene { _, responder in responder.dropConnection() }

    #expect(try await scene.run() == [.refused])
    #expect(try await scene.run() == [])

    #expect(try await scene.row() == "refused answer lost")
    #expect(scene.calls == [Self.create])
  }

  @Test func whereARunHasDiedWhileItCreatedAChannelNoneIsCreated() async throws {
    let scene = try await ChannelScene()
    try await scene.set("state = 'creating'")

    #expect(try await scene.run() == [])

    #expect(try await scene.row() == "refused answer lost" && scene.calls == [])
  }

  @Test(arguments: [429, 503]) func aBusyAPNsIsAskedAgain(status: Int) async throws {
    let scene = try await ChannelScene { call, responder in
      if call.number == 0 { responder.answer(status, "Busy") } else { responder.answerCall(call) }
    }

    await #expect { try await scene.run() } throws: { ($0 as? FunctionError)?.code == .unavailable }
    #expect(try await scene.row() == "asked")

    #expect(try await scene.run() == [.created])
    #expect(try await scene.row() == "live \(Self.channel)")
  }

  @Test func aRefusedChannelIsNotAskedForAgain() async throws {
    let scene = try await ChannelScene { _, responder in responder.answer(400, "CannotCreateChannelConfig") }

    #expect(try await scene.run() == [.refused])
    #expect(try await scene.run() == [])

    #expect(try await scene.row() == "refused CannotCreateChannelConfig" && scene.calls.count == 1)
  }

  @Test func aBroadcastWithoutAnAnswerIsSentAgainUnchanged() async throws {
    let scene = try await ChannelScene { call, responder in
      if call.number == 1 { responder.dropConnection() } else { responder.answerCall(call) }
    }
    try await scene.want("update", 7)

    await #expect { try await scene.run() } throws: { ($0 as? FunctionError)?.code == .unavailable }
    #expect(try await scene.row() == "live \(Self.channel)")
    #expect(try await scene.run() == [.said])

    #expect(scene.calls == [Self.create, Self.broadcast, Self.broadcast])
    #expect(scene.apns.pushes[1].body == scene.apns.pushes[2].body)
  }

  @Test func aChannelThatAPNsDoesNotKnowIsGone() async throws {
    let scene = try await ChannelScene { call, responder in
      let isBroadcast = call.path.hasPrefix("/4/")
      if isBroadcast { responder.answer(400, "ChannelNotRegistered") } else { responder.answerCall(call) }
    }
    try await scene.want("update", 7)

    #expect(try await scene.run() == [.created, .lost])

    #expect(try await scene.row() == "gone \(Self.channel) ChannelNotRegistered")
  }

  @Test(arguments: [(400, "ChannelNotRegistered"), (404, "BadPath")])
  func aChannelThatIsDeletedAlreadyIsGone(status: Int, reason: String) async throws {
    let scene = try await ChannelScene { _, responder in responder.answer(status, reason) }
    try await scene.set("state = 'closing', channel = \(Self.channel)")

    #expect(try await scene.run() == [.deleted])

    #expect(try await scene.row() == "gone \(Self.channel)" && scene.calls == [Self.delete])
  }

  @Test func noChannelIsCreatedForWhatHasEnded() async throws {
    let scene = try await ChannelScene()
    try await scene.want("end", 3)

    #expect(try await scene.run() == [])

    #expect(try await scene.row() == "gone not needed" && scene.calls == [])
  }

  @Test func aRehearsalDoesNothing() async throws {
    let scene = try await ChannelScene()

    #expect(try await scene.run(dryRun: true) == [])

    #expect(try await scene.row() == "asked" && scene.calls == [])
  }

  @Test func anExpiredProviderTokenIsReplacedAtOnce() async throws {
    let scene = try await ChannelScene { call, responder in
      if call.number == 0 { responder.answer(403, "ExpiredProviderToken") } else { responder.answerCall(call) }
    }

    #expect(try await scene.run() == [.created])
    #expect(scene.calls == [Self.create, Self.create])
  }

  @Test func aChannelThatWasCreatedAfterAnotherRunHadGivenItUpIsDeleted() async throws {
    let (slowAnswers, held) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
    let scene = try await ChannelScene { call, responder in
      if call.number == 0 { held.yield { responder.answerCall(call) } } else { responder.answerCall(call) }
    }
    async let slow = scene.run()
    var answers = slowAnswers.makeAsyncIterator()
    let answer = try #require(await answers.next())
    #expect(try await scene.run() == [])
    #expect(try await scene.row() == "refused answer lost")
    answer()

    #expect(try await slow == [.deleted])
    #expect(try await scene.row() == "refused answer lost" && scene.calls == [Self.create, Self.delete])
  }

  @Test func anEndThatAPNsRefusesIsTriedAgainUntilTheChannelIsDeleted() async throws {
    let scene = try await ChannelScene { call, responder in
      let isBroadcast = call.path.hasPrefix("/4/")
      if isBroadcast { responder.answer(400, "BadPriority") } else { responder.answerCall(call) }
    }
    _ = try await scene.run()
    try await scene.want("end", 11)

    await #expect { try await scene.run() } throws: { ($0 as? FunctionError)?.code == .unavailable }
    #expect(try await scene.row() == "live \(Self.channel)")
    try await scene.set("state = 'closing', reason = 'end not taken'")

    #expect(try await scene.run() == [.deleted])
    #expect(try await scene.row() == "gone \(Self.channel) end not taken")
    #expect(scene.calls == [Self.create, Self.broadcast, Self.delete])
  }

  @Test func anEndThatIsTakenAfterItsChannelWasGivenUpChangesNothing() async throws {
    let scene = try await ChannelScene()
    try await scene.want("end", 11)
    try await scene.set("state = 'live', channel = \(Self.channel)")
    let store = ChannelStore(scene.demo.connection(of: "activity-channels"))
    guard case .say(let end, _) = try await store.next(ChannelScene.row, at: ChannelScene.now)?.deed else {
      Issue.record("nothing is to be said")
      return
    }
    try await scene.set("state = 'closing', reason = 'end not taken'")

    try await store.said(end, row: ChannelScene.row, at: ChannelScene.now)

    #expect(try await scene.row() == "closing \(Self.channel) end not taken")
    #expect(try await scene.demo.number("SELECT count(*) FROM activity_changes") == 0)
  }
}
