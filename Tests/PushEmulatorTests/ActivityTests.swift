import FoundationEssentials
import FunctionKit
import HTTP2
import HTTPClient
import TestSupport
import Testing

@testable import PushEmulator

/// Live Activities: what APNs refuses, and what the phone does with the rest.
struct ActivityRulesTests {
  private static let type = "com.example.app.push-type.liveactivity"
  private static let fields: [String: String?] = ["apns-push-type": "liveactivity", "apns-topic": type]

  @Test(
    arguments: [
      ("apns-topic", "com.example.app", .refused(.topicDisallowed)), ("apns-topic", nil, .refused(.missingTopic)),
      ("apns-push-type", "alert", .refused(.topicDisallowed)), ("apns-priority", "1", .refused(.badPriority)),
      ("apns-priority", "5", .accepted), ("apns-priority", "10", .accepted),
    ] as [(String, String?, Answer)])
  func itHasTopicAndPriorityOfItsOwn(name: String, value: String?, answer: Answer) {
    #expect(self.answer(to: Samples.request(Self.fields.merging([name: value]) { $1 })) == answer)
  }

  @Test func itsPayloadHasTheUsualLimit() {
    let most = #"{"aps":{}}"# + String(repeating: " ", count: 4_096 - 10)

    #expect(answer(to: Samples.request(Self.fields, body: most)) == .accepted)
    #expect(answer(to: Samples.request(Self.fields, body: most + " ")) == .refused(.payloadTooLarge))
  }

  /// The answer to a provider's first push.
  private func answer(to request: PushRequest) -> Answer {
    var apns = SampleAPNS()
    return apns.answer(to: request)
  }

  @Test func theTokenOfAnActivityIsNoDevices() throws {
    for token in [
      try #require(ActivityToken(phone: Samples.token, startingType: "A")).text,
      try #require(ActivityToken(phone: Samples.token, startedBy: 1)).text,
    ] { #expect(answer(to: Samples.request(path: "/3/device/\(token)")) == .refused(.deviceTokenNotForTopic)) }
  }

  @Test(arguments: ["ProposalActivityAttributes", "Ä", String(repeating: "x", count: 60)])
  func aTokenSaysWhatItIsFor(type: String) throws {
    let start = try #require(ActivityToken(phone: Samples.token, startingType: type))
    let update = try #require(ActivityToken(phone: Samples.token, startedBy: 7))

    #expect(ActivityToken(start.text) == start && ActivityToken(update.text) == update)
    #expect(ActivityToken.phone(of: start.text) == Samples.token && ActivityToken.phone(of: "ab") == "ab")
    #expect(PushRules.isDeviceToken(start.text) && PushRules.isDeviceToken(update.text))
  }

  @Test(arguments: ["", String(repeating: "x", count: 61)])
  func aTypeWithoutAUsableNameHasNoToken(type: String) {
    #expect(ActivityToken(phone: Samples.token, startingType: type) == nil)
    #expect(ActivityToken(phone: "abcd", startingType: "A") == nil)
    #expect(ActivityToken(Samples.token + "57a27000" + "fffe") == nil && ActivityToken(Samples.token) == nil)
  }

  @Test(
    arguments: [
      (#""event":"start""#, "timestamp must be whole seconds since 1970."),
      (#""timestamp":"1","event":"update""#, "timestamp must be whole seconds since 1970."),
      (#""timestamp":1.5,"event":"update""#, "timestamp must be whole seconds since 1970."),
      (#""timestamp":1"#, "event must be start, update or end."),
      (#""timestamp":1,"event":"stop""#, "event must be start, update or end."),
      (#""timestamp":1,"event":"update""#, "content-state is missing."),
      (#""timestamp":1,"event":"update","content-state":[]"#, "content-state must be an object."),
      (
        #""timestamp":1,"event":"update","content-state":{},"stale-date":"soon""#,
        "stale-date must be whole seconds since 1970."
      ),
      (#""timestamp":1,"event":"end","dismissal-date":1.5"#, "dismissal-date must be whole seconds since 1970."),
      (#""timestamp":1,"event":"start","content-state":{}"#, "attributes-type must name the app's type."),
      (#""timestamp":1,"event":"start","attributes-type":"A""#, "attributes must be an object."),
      (
        #""timestamp":1,"event":"start","attributes-type":"A","attributes":{}"#,
        "A start needs an alert with title and body."
      ),
      (
        #""timestamp":1,"event":"start","attributes-type":"A","attributes":{},"alert":{"title":"T","body":"B"}"#,
        "content-state is missing."
      ),
    ])
  func aPhoneIgnoresAWrongPayload(aps: String, why: String) throws {
    let payload = try RawJSON(validating: Array(#"{"aps":{\#(aps)}}"#.utf8)[...])

    #expect(throws: ActivityPush.Ignored(why)) { try ActivityPush(payload) }
  }
}

/// The life of an activity, by the clock.
struct ActivityLifeTests {
  private let start = ActivityToken(phone: Samples.token, startingType: "Vote")?.text ?? ""
  private let token = ActivityToken(phone: Samples.token, startedBy: 1)?.text ?? ""
  private let now = Samples.now
  private let seconds = Int(Samples.now.timeIntervalSince1970)

  private func push(_ seq: Int, _ token: String, _ aps: String, priority: String = "5") -> PushRecord {
    Samples.record(
      seq,
      [
        "apns-push-type": "liveactivity", "apns-topic": "com.example.app.push-type.liveactivity",
        "apns-priority": priority,
      ], token: token, body: #"{"aps":{\#(aps)}}"#)
  }

  private func started(_ more: String = #","input-push-token":1"#) -> Activities {
    var activities = Activities()
    let aps =
      #""timestamp":\#(seconds),"event":"start","attributes-type":"Vote","attributes":{"title":"T"},"#
      + #""content-state":{"n":0},"alert":{"title":"T","body":"B"}\#(more)"#
    #expect(activities.receive(push(1, start, aps, priority: "10"), at: now) == nil)
    return activities
  }

  private func update(_ n: Int, after delay: Int = 0, _ more: String = "") -> String {
    #""timestamp":\#(seconds + delay),"event":"update","content-state":{"n":\#(n)}\#(more)"#
  }

  private func only(_ activities: Activities, at date: Date) throws -> RawJSON {
    let shown = activities.all { $0 == Samples.token }
    try #require(shown.count == 1)
    return try #require(shown.first).json(at: date)
  }

  @Test func aStartGivesTheAppATokenForUpdates() throws {
    let activity = try only(started(), at: now)

    #expect(activity["token"]?.stringValue == token && activity["type"]?.stringValue == "Vote")
    #expect(activity["phase"]?.stringValue == "active" && activity["app"]?.stringValue == "com.example.app")
    #expect(activity["state"]?["n"]?.intValue == 0 && activity["attributes"]?["title"]?.stringValue == "T")
    #expect(activity["updates"]?.intValue == 0 && activity["urgent"]?.intValue == 1)
  }

  @Test(arguments: [("", nil), (#","input-push-channel":"Y2g=""#, "Y2g=")])
  func aStartThatDoesNotAskForATokenGivesNone(more: String, channel: String?) throws {
    let activity = try only(started(more), at: now)

    #expect(activity["token"] == nil && activity["channel"]?.stringValue == channel)
  }

  @Test func anOlderUpdateThanTheLatestIsIgnored() throws {
    var activities = started()

    let whys = [update(2, after: 20), update(1, after: 10), update(3, after: 20)].enumerated().map { number, aps in
      activities.receive(push(2 + number, token, aps), at: now + 30)
    }

    #expect(whys == [nil, "A push with the later timestamp \(seconds + 20) came before.", nil])
    let activity = try only(activities, at: now + 30)
    #expect(activity["state"]?["n"]?.intValue == 3 && activity["updates"]?.intValue == 2)
    #expect(activity["push"]?.intValue == 4 && activity["urgent"]?.intValue == 1)
  }

  @Test func aStartTokenOnlyStartsAndTheOtherStartsNothing() {
    var activities = started()
    let begin =
      #""timestamp":\#(seconds),"event":"start","attributes-type":"Other","attributes":{},"content-state":{},"#
      + #""alert":{"title":"T","body":"B"}"#

    #expect(activities.receive(push(2, start, update(1)), at: now) == "The token only starts activities.")
    #expect(activities.receive(push(3, token, begin), at: now) == "The token of an activity starts none.")
    #expect(activities.receive(push(4, start, begin), at: now) == "The token starts activities of Vote, not Other.")
    let unknown = ActivityToken(phone: Samples.token, startedBy: 99)?.text ?? ""
    #expect(activities.receive(push(5, unknown, update(1)), at: now) == "There is no such activity.")
    #expect(activities.all { _ in true }.count == 1)
  }

  @Test func anActivityGoesStaleAndIsFreshAgainAfterAnUpdate() throws {
    var activities = started(#","stale-date":\#(seconds + 60)"#)

    #expect(try only(activities, at: now + 59)["phase"]?.stringValue == "active")
    #expect(try only(activities, at: now + 60)["phase"]?.stringValue == "stale")
    activities.receive(push(2, token, update(1, after: 61)), at: now + 61)
    #expect(try only(activities, at: now + 61)["phase"]?.stringValue == "active")
  }

  @Test(arguments: [("", 14_400), (#","dismissal-date":+60"#, 60), (#","dismissal-date":+99999"#, 14_400)])
  func anEndStaysUntilItIsDismissedAndThenItsTokenHasExpired(more: String, stays: Int) throws {
    var activities = started()
    let date = more.split(separator: "+").last.flatMap { Int($0) }.map { #","dismissal-date":\#(seconds + 10 + $0)"# }

    activities.receive(
      push(2, token, #""timestamp":\#(seconds + 10),"event":"end","content-state":{"n":9}\#(date ?? "")"#),
      at: now + 10)

    let end = now + 10
    #expect(try only(activities, at: end)["phase"]?.stringValue == "ended")
    #expect(try only(activities, at: end)["state"]?["n"]?.intValue == 9)
    #expect(try only(activities, at: end + Double(stays) - 1)["phase"]?.stringValue == "ended")
    #expect(try only(activities, at: end + Double(stays))["phase"]?.stringValue == "dismissed")
    #expect(activities.shown(at: end + Double(stays)).isEmpty)
    #expect(activities.shown(at: end)[Samples.token]?.count == 1)
    #expect(activities.refusal(token, "liveactivity", at: end + Double(stays) - 1) == nil)
    #expect(
      activities.refusal(token, "liveactivity", at: end + Double(stays))
        == .refused(.expiredToken, timestamp: (seconds + 10 + stays) * 1_000))
    #expect(activities.receive(push(3, token, update(1, after: 20)), at: end) == "The activity has ended.")
  }

  @Test func anEndThatIsStillShownIsChangedByALaterOneUntilItIsDismissed() throws {
    var activities = started()
    func end(_ seq: Int, _ n: Int, after delay: Int, dismissedAfter stay: Int) -> String? {
      let aps =
        #""timestamp":\#(seconds + delay),"event":"end","content-state":{"n":\#(n)},"#
        + #""dismissal-date":\#(seconds + stay)"#
      return activities.receive(push(seq, token, aps), at: now + Double(delay))
    }

    #expect(end(2, 1, after: 10, dismissedAfter: 3_610) == nil)
    #expect(end(3, 2, after: 5, dismissedAfter: 5) == "A push with the later timestamp \(seconds + 10) came before.")
    #expect(end(4, 3, after: 20, dismissedAfter: 20) == nil)
    let activity = try only(activities, at: now + 20)
    #expect(activity["state"]?["n"]?.intValue == 3 && activity["phase"]?.stringValue == "dismissed")
    #expect(activities.refusal(token, "liveactivity", at: now + 20)?.status == 410)
    #expect(end(5, 4, after: 30, dismissedAfter: 3_630) == "The activity has ended.")
  }

  @Test func aDismissalInThePastRemovesAtOnce() throws {
    var activities = started()

    activities.receive(push(2, token, #""timestamp":\#(seconds),"event":"end","dismissal-date":1"#), at: now)

    #expect(try only(activities, at: now)["phase"]?.stringValue == "dismissed")
    #expect(try only(activities, at: now)["state"]?["n"]?.intValue == 0)
  }

  @Test func theSystemEndsAnActivityAfterEightHours() throws {
    let activities = started()

    #expect(activities.refusal(token, "liveactivity", at: now + 28_799) == nil)
    #expect(try only(activities, at: now + 28_800)["phase"]?.stringValue == "ended")
    #expect(activities.refusal(token, "liveactivity", at: now + 28_800)?.status == 410)
    #expect(try only(activities, at: now + 43_200)["phase"]?.stringValue == "dismissed")
  }

  @Test func anActivityOfAnUnknownTokenWasStartedByItsApp() throws {
    var activities = Activities()

    activities.receive(push(1, Samples.token, update(4)), at: now)

    let activity = try only(activities, at: now)
    #expect(activity["token"]?.stringValue == Samples.token && activity["type"] == nil)
    #expect(activity["state"]?["n"]?.intValue == 4)
  }

  @Test func activitiesAreOnTheScreenOfTheirPhone() {
    let screens = DeviceScreen.all([Samples.record(1), push(2, start, update(1)), push(3, token, update(1))])

    #expect(screens.map(\.token) == [Samples.token] && screens.first?.notifications.count == 1)
  }
}

/// Activities over HTTP/2, and the control API.
@Suite(.heavy)
struct ActivityControlTests {
  private func send(
    _ emulator: RunningEmulator, _ client: HTTP2Client, to token: String, _ aps: String, priority: String = "10"
  ) async throws -> HTTP2Response {
    try await client.answer(
      to: try emulator.push(#"{"aps":{\#(aps)}}"#, to: token).with([
        "apns-push-type": "liveactivity", "apns-topic": "com.example.app.push-type.liveactivity",
        "apns-priority": priority,
      ]))
  }

  private func start(_ emulator: RunningEmulator, _ client: HTTP2Client) async throws -> RawJSON {
    let answer = try await emulator.ask("/activities", .post, body: #"{"device":"\#(Samples.token)","type":"Vote"}"#)
    #expect(answer.status == 201)
    let token = try #require(try RawJSON(validating: answer.body[...])["token"]?.stringValue)
    let aps =
      #""timestamp":\#(Int(Date.now.timeIntervalSince1970)),"event":"start","attributes-type":"Vote","#
      + #""attributes":{},"content-state":{"n":1},"alert":{"title":"T","body":"B"},"input-push-token":1"#
    #expect(try await send(emulator, client, to: token, aps).status == 200)
    return try #require(try await emulator.json("/activities?token=\(Samples.token)")["activities"]?.elements?.last)
  }

  @Test func anActivityIsStartedUpdatedAndEndedAndThenItsTokenIsGone() async throws {
    try await withEmulator { emulator, client in
      let token = try #require(try await start(emulator, client)["token"]?.stringValue)
      let time = Int(Date.now.timeIntervalSince1970) + 1
      let update = #""timestamp":\#(time),"event":"update","content-state":{"n":2}"#
      #expect(try await send(emulator, client, to: token, update, priority: "5").status == 200)

      let device = try #require(try await emulator.json("/devices")["devices"]?.elements?.first)
      #expect(device["token"]?.stringValue == Samples.token && device["shown"]?.intValue == 0)
      #expect(device["activities"]?.elements?.first?["state"]?["n"]?.intValue == 2)

      let end = #""timestamp":\#(time),"event":"end","dismissal-date""#
      #expect(try await send(emulator, client, to: token, "\(end):\(time + 3_600)").status == 200)
      #expect(try await send(emulator, client, to: token, "\(end):1").status == 200)
      let late = try await send(emulator, client, to: token, update)
      #expect(late.status == 410 && late.text.hasPrefix(#"{"reason":"ExpiredToken","timestamp":"#))
      #expect(try await emulator.pushes("token=\(Samples.token)&status=200").count == 4)
    }
  }

  @Test func whatAPhoneIgnoresIsSaid() async throws {
    try await withEmulator { emulator, client in
      #expect(try await send(emulator, client, to: Samples.token, #""event":"update""#).status == 200)

      let ignored = try await emulator.json("/activities")["ignored"]?.elements

      #expect(ignored?.count == 1 && ignored?.first?["push"]?.intValue == 1)
      #expect(ignored?.first?["why"]?.stringValue == "timestamp must be whole seconds since 1970.")
      try await emulator.script("/pushes", "", .delete)
      #expect(try await emulator.json("/activities")["ignored"]?.elements?.isEmpty == true)
    }
  }

  @Test func theStateOfAPhoneIsThatOfItsActivities() async throws {
    try await withEmulator { emulator, client in
      let token = try #require(try await start(emulator, client)["token"]?.stringValue)
      let update = #""timestamp":\#(Int(Date.now.timeIntervalSince1970) + 1),"event":"update","content-state":{"n":2}"#

      try await emulator.script("/devices/\(Samples.token)", #"{"online":false}"#)
      #expect(try await send(emulator, client, to: token, update).status == 200)
      let before = try await emulator.json("/activities")["activities"]?.elements?.first
      try await emulator.script("/devices/\(Samples.token)", #"{"online":true}"#)
      let after = try await emulator.json("/activities")["activities"]?.elements?.first
      #expect(before?["state"]?["n"]?.intValue == 1 && after?["state"]?["n"]?.intValue == 2)

      try await emulator.script("/devices/\(Samples.token)", #"{"state":"unregistered","since":7}"#)
      #expect(
        try await send(emulator, client, to: token, update).text == #"{"reason":"Unregistered","timestamp":7}"#)
    }
  }

  @Test func activitiesOutliveTheEmulatorAndItsSnapshots() async throws {
    let directory = try TemporaryDirectory()
    let first = try await RunningEmulator.start(in: directory)
    let (before, snapshot) = try await withClient(first) { client in
      (try await start(first, client), try await first.ask("/snapshot").text)
    }
    await first.stop()

    let second = try await RunningEmulator.start(in: directory)
    let restarted = try await second.json("/activities")["activities"]?.elements
    try await second.script("/pushes", "", .delete)
    let forgotten = try await second.json("/activities")["activities"]?.elements
    try await second.script("/snapshot", snapshot, .put)
    let restored = try await second.json("/activities")["activities"]?.elements
    await second.stop()

    #expect(restarted?.map { $0["token"]?.stringValue } == [before["token"]?.stringValue])
    #expect(forgotten?.isEmpty == true)
    #expect(restored?.map(\.bytes) == restarted?.map(\.bytes))
  }

  @Test(arguments: ["{}", #"{"device":"abcd","type":"Vote"}"#, #"{"device":"\#(Samples.token)","type":""}"#])
  func aStartTokenIsForADeviceAndAType(body: String) async throws {
    try await withEmulator { emulator, _ in
      let refused = try await emulator.ask("/activities", .post, body: body)
      let unknown = try await emulator.ask("/activities", .delete)

      #expect(refused.status == 400 && unknown.status == 405)
    }
  }
}
