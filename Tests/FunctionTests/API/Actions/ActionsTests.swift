import API
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import ActionCompleted
@testable import Actions

@Suite(.heavy)
struct ActionsTests {
  @Test(arguments: [("VOTE_YES", "yes"), ("VOTE_MAYBE", "maybe"), ("vote_no", "no")])
  func aVoteIsCastForEveryOption(action: String, vote: String) async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()

    let answer = try await scene.act(
      asked, action, as: .eva, #""deviceId":"\#(ActionScene.evasPhone)","at":"2030-01-04T20:00:30Z""#)

    #expect(answer.status == 200)
    #expect(answer.response.body == #"{"action":"\#(action.uppercased())","notificationId":"\#(asked)"}"#)
    #expect(try await scene.votes() == [vote, vote])
    #expect(try await scene.acts() == [action.uppercased()])
    #expect(try await scene.demo.number("SELECT count(*) FROM notifications WHERE is_read AND NOT is_archived") == 1)
    let interactions: SQL = """
      SELECT event || ' ' || action || ' ' || device_token_id || ' ' || extract(epoch FROM occurred_at)::int AS text
      FROM notification_interactions ORDER BY event
      """
    let (phone, time) = (ActionScene.evasPhone, Int(Demo.dayBefore.timeIntervalSince1970) + 30)
    #expect(
      try await scene.texts(interactions) == [
        "acted \(action.uppercased()) \(phone) \(time)", "opened  \(phone) \(time)",
      ])
  }

  @Test func aLaterVoteReplacesAndTheSameAgainChangesNothing() async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    let first = try await scene.act(asked, "VOTE_YES", as: .eva)
    let state = try await scene.state()

    let again = try await scene.act(asked, "VOTE_YES", as: .eva, at: ActionScene.now + 60)
    #expect(again.status == 200 && again.response.body == first.response.body)
    #expect(try await scene.state() == state)

    #expect(try await scene.act(asked, "VOTE_NO", as: .eva).status == 200)
    #expect(try await scene.votes() == ["no", "no"])
    #expect(try await scene.act(asked, "VOTE_YES", as: .eva).status == 200)
    #expect(try await scene.votes() == ["yes", "yes"])
  }

  @Test func aRetryOfAnEarlierVoteDoesNotReplaceALaterOne() async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    let early = #""at":"2030-01-04T20:00:10.123Z""#
    _ = try await scene.act(asked, "VOTE_YES", as: .eva, early)
    _ = try await scene.act(asked, "VOTE_NO", as: .eva, #""at":"2030-01-04T20:00:20Z""#)
    let state = try await scene.state()

    #expect(try await scene.act(asked, "VOTE_YES", as: .eva, early, at: ActionScene.now + 9).status == 200)
    #expect(try await scene.state() == state)
  }

  @Test(arguments: ["", #""at":"2030-01-04T20:00:10Z""#])
  func manyAtOnceAreOne(time: String) async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()

    let answers = try await withThrowingTaskGroup(of: APIAnswer.self) { group in
      for _ in 0..<8 { group.addTask { try await scene.act(asked, "VOTE_YES", as: .eva, time) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(answers.map(\.status) == Array(repeating: 200, count: 8))
    #expect(Set(answers.map { $0.response.body ?? "" }).count == 1)
    #expect(try await scene.acts() == ["VOTE_YES"])
    #expect(try await scene.votes() == ["yes", "yes"])
    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM proposal_votes WHERE updated_at <> created_at AND user_id = \(Person.eva.id)::uuid") == 0)
  }

  @Test(arguments: [
    ("UPDATE event_proposals SET status = 'confirmed'", "it is confirmed"),
    ("UPDATE event_proposals SET deadline = '2030-01-04 20:00:30+00'", "its deadline has passed"),
    ("DELETE FROM group_members WHERE user_id = '\(Person.eva.id)'", "a group that you have left"),
    ("DELETE FROM proposal_options", "has no options"),
  ])
  func whatTakesNoVotesSaysWhy(change: String, reason: String) async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    try await scene.demo.connection.script(change)
    let state = try await scene.state()

    let answer = try await scene.act(asked, "VOTE_YES", as: .eva)

    #expect(answer.status == 409 && answer.reason?.contains(reason) == true, "\(answer.reason ?? "")")
    #expect(try await scene.state() == state)
  }

  /// LockItIn's own people vote on a proposal, once each.
  @Test func whereAVoteNeedsNoOptionItIsOneOnTheProposal() async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    try await scene.demo.connection.script(
      """
      DELETE FROM proposal_options;
      ALTER TABLE proposal_votes DROP CONSTRAINT proposal_votes_option_id_user_id_key;
      ALTER TABLE proposal_votes ALTER COLUMN option_id DROP NOT NULL, ADD UNIQUE (proposal_id, user_id)
      """)

    #expect(try await scene.act(asked, "VOTE_YES", as: .eva).status == 200)
    let state = try await scene.state()
    #expect(try await scene.act(asked, "VOTE_YES", as: .eva, at: ActionScene.now + 60).status == 200)
    #expect(try await scene.state() == state)
    #expect(try await scene.votes() == ["yes"])

    #expect(try await scene.act(asked, "VOTE_NO", as: .eva).status == 200)
    #expect(try await scene.votes() == ["no"])

    try await scene.demo.connection.script("UPDATE event_proposals SET options_version = options_version + 1")
    #expect(try await scene.act(asked, "VOTE_NO", as: .eva).status == 200)
    #expect(
      try await scene.demo.number(
        """
        SELECT count(*) FROM proposal_votes v JOIN event_proposals p ON p.id = v.proposal_id
        WHERE v.user_id = \(Person.eva.id)::uuid AND v.options_version = p.options_version AND v.option_id IS NULL
        """) == 1)
  }

  @Test func aRetryIsAnsweredAlsoAfterTheEnd() async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    _ = try await scene.act(asked, "VOTE_YES", as: .eva)
    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'expired'")

    #expect(try await scene.act(asked, "VOTE_YES", as: .eva).status == 200)
    #expect(try await scene.act(asked, "VOTE_NO", as: .eva).status == 409)
    #expect(try await scene.votes() == ["yes", "yes"])
  }

  @Test func aVoteOnOptionsThatWereChangedIsCastAnew() async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    _ = try await scene.act(asked, "VOTE_YES", as: .eva)
    try await scene.demo.connection.script("UPDATE event_proposals SET options_version = 2")

    _ = try await scene.act(asked, "VOTE_YES", as: .eva)

    #expect(
      try await scene.demo.number(
        "SELECT min(options_version) FROM proposal_votes WHERE user_id = \(Person.eva.id)::uuid") == 2)
  }

  @Test(arguments: [("FRIEND_ACCEPT", "FRIEND_DECLINE", "accepted"), ("FRIEND_DECLINE", "FRIEND_ACCEPT", "declined")])
  func aFriendRequestIsAnsweredOnce(action: String, other: String, status: String) async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForFriendship()

    #expect(try await scene.act(asked, action, as: .ben).status == 200)
    #expect(try await scene.texts("SELECT status AS text FROM friend_requests") == [status])
    let state = try await scene.state()
    #expect(try await scene.act(asked, action, as: .ben, at: ActionScene.now + 9).status == 200)
    let answer = try await scene.act(asked, other, as: .ben)
    #expect(answer.status == 409 && answer.reason == "The friend request has been \(status) already.")
    #expect(try await scene.state() == state)
  }

  @Test(arguments: [("GROUP_ACCEPT", "GROUP_DECLINE", "accepted", 1), ("GROUP_DECLINE", "GROUP_ACCEPT", "declined", 0)])
  func anInvitationIsAnsweredOnce(action: String, other: String, status: String, members: Int) async throws {
    let scene = try await ActionScene()
    let asked = try await scene.invite()

    #expect(try await scene.act(asked, action, as: .ben).status == 200)
    #expect(try await scene.texts("SELECT status AS text FROM group_invites") == [status])
    #expect(
      try await scene.demo.number(
        """
        SELECT count(*) FROM group_members m JOIN group_invites i ON i.group_id = m.group_id AND i.invitee_id = m.user_id
        """) == members)
    let state = try await scene.state()
    #expect(try await scene.act(asked, action, as: .ben, at: ActionScene.now + 9).status == 200)
    let answer = try await scene.act(asked, other, as: .ben)
    #expect(answer.status == 409 && answer.reason == "The invitation has been \(status) already.")
    #expect(try await scene.state() == state)
  }

  @Test func whatAMessageIsAnsweredWithIsWrittenDownForItsApp() async throws {
    let scene = try await ActionScene()
    let told = try await scene.insert("smart_notification", of: .messageAI, to: .ada)
    let reply = #""text":"On my way 🚲""#
    for (action, more) in [
      ("REPLY_ACTION", reply), ("REPLY_ACTION", reply), ("REPLY_ACTION", #""text":"ok""#), ("MARK_READ_ACTION", ""),
      ("HELPFUL_ACTION", ""), ("HELPFUL_ACTION", ""), ("NOT_HELPFUL_ACTION", ""), ("HELPFUL_ACTION", ""),
    ] {
      #expect(try await scene.act(told, action, as: .ada, more).status == 200)
    }

    #expect(
      try await scene.acts() == [
        "REPLY_ACTION On my way 🚲", "REPLY_ACTION ok", "MARK_READ_ACTION", "HELPFUL_ACTION", "NOT_HELPFUL_ACTION",
        "HELPFUL_ACTION",
      ])
    #expect(
      try await scene.texts(
        "SELECT DISTINCT concat_ws(' ', app, user_id, conversation_id, message_id) AS text FROM notification_actions")
        == ["messageai \(Person.ada.id) conv-42 msg-7"])
    #expect(try await scene.demo.number("SELECT count(*) FROM notifications WHERE is_read AND NOT is_archived") == 1)
  }

  @Test(arguments: [
    ("event_starting_soon", "OPEN_EVENT"), ("time_to_leave", "GET_DIRECTIONS"), ("conflict_alert", "VIEW_CONFLICT"),
    ("friend_request", "VIEW_PROFILE"), ("group_invite", "VIEW_GROUP"), ("memory_prompt", "ADD_PHOTO"),
    ("memory_prompt", "MAYBE_LATER"),
  ])
  func whatOnlyTheAppDoesIsNoted(kind: String, action: String) async throws {
    let scene = try await ActionScene()
    let told = try await scene.insert(kind, of: .lockItIn, to: .ada)

    #expect(try await scene.act(told, action, as: .ada).status == 200)
    #expect(try await scene.acts() == [action])
    #expect(
      try await scene.demo.number("SELECT count(*) FROM notification_interactions WHERE action = \(action)") == 1)
  }

  @Test func theCategoryIsThatOfThePush() async throws {
    let scene = try await ActionScene()
    let told = try await scene.insert(
      "conflict_alert", of: .lockItIn, to: .ada, payload: #"{"aps":{"category":"CONFLICT_ORGANIZER"}}"#)

    #expect(try await scene.act(told, "VIEW_CONFLICT", as: .ada).status == 409)
    #expect(try await scene.act(told, "MESSAGE_FRIEND", as: .ada).status == 200)
  }

  @Test func aDryRunAnswersAndChangesNothing() async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    let state = try await scene.state()

    #expect(try await scene.act(asked, "VOTE_YES", as: .eva, dryRun: true).status == 200)
    #expect(try await scene.send(asked, "opened", as: .eva, nil, dryRun: true).status == 204)
    #expect(try await scene.state() == state)
  }

  @Test func theActSettlesTheRestByItsRowEventsAndOtherDevicesAreTold() async throws {
    let badges = try await BadgeScene()
    let demo = badges.demo
    _ = try await demo.connection.query(
      "INSERT INTO user_tokens (value, user_id) VALUES (\(APIScene.token(of: .eva)), \(Person.eva.id)::uuid)")
    let asked: SQL = "SELECT to_jsonb(n)::text AS text FROM notifications n WHERE user_id = \(Person.eva.id)::uuid"
    let before: String = try await demo.connection.query(asked).only().decode("text")
    let id: String = try await demo.connection.query("\(asked) AND type = 'proposal_created'").only().decode("text")
    let notification = try #require(try RawJSON(validating: Array(id.utf8)[...])["id"]?.stringValue)
    let connection = demo.connection()
    let function = Actions(tokens: TokenStore(connection), store: ActionStore(connection))
    let request = HTTPRequest(
      rawPath: "/api/v1/notifications/\(notification)/actions",
      headers: ["authorization": "Bearer \(APIScene.token(of: .eva))"],
      requestContext: .init(http: .init(method: "POST")),
      body: #"{"action":"VOTE_YES","deviceId":"\#(BadgeScene.phone)"}"#)
    let call = Envelope(id: "call", source: "/http", type: EventType.call, data: .null)
    let context = Context(function: Actions.name, now: BadgeScene.now, log: Log { _ in })
    #expect(try await function.handle(Event(envelope: call, data: request), context).statusCode == 200)

    let after: String = try await demo.connection.query(asked).only().decode("text")
    var events = [RowEvent.event("UPDATE", "notifications", record: after, oldRecord: before, id: "read")]
    let votes: [String] = try await demo.connection.query(
      "SELECT to_jsonb(v)::text AS text FROM proposal_votes v WHERE user_id = \(Person.eva.id)::uuid ORDER BY id"
    ).decode("text")
    for (number, vote) in votes.enumerated() {
      events.append(RowEvent.event("INSERT", "proposal_votes", record: vote, id: "vote-\(number)"))
    }
    for event in events.reversed() + events { try await badges.tell(event) }

    #expect(votes.count == 2)
    #expect(try await badges.send() == ["d5 0"])
    #expect(
      try await demo.number(
        "SELECT count(*) FROM deliveries WHERE state = 'queued' AND user_id = \(Person.eva.id)::uuid") == 0)
  }

  @Test func aTapMutesTheGroupForAnHourOnceAndShortensNoMute() async throws {
    let scene = try await ActionScene()
    let told = try await scene.askForVotes()
    let tap = #""at":"\#(RFC3339.seconds(ActionScene.now))""#
    func end() async throws -> Date? {
      try await scene.demo.connection.query("SELECT muted_until FROM notification_mutes").first?.decode("muted_until")
    }

    let first = try await scene.act(told, "MUTE_GROUP", as: .eva, tap)
    #expect(first.json["mutedUntil"]?.stringValue == RFC3339.seconds(ActionScene.now + 3_600))
    #expect(try await end() == ActionScene.now + 3_600)
    let again = try await scene.act(told, "MUTE_GROUP", as: .eva, tap, at: ActionScene.now + 600)
    #expect(again.response.body == first.response.body)
    #expect(try await scene.acts() == ["MUTE_GROUP"])
    // An app that sends no time.
    let longer = try await scene.act(told, "MUTE_GROUP", as: .eva, at: ActionScene.now + 900)
    let same = try await scene.act(told, "MUTE_GROUP", as: .eva, at: ActionScene.now + 910)
    #expect(longer.response.body == same.response.body)
    #expect(try await end() == ActionScene.now + 4_500)
    _ = try await scene.demo.connection.query("UPDATE notification_mutes SET muted_until = \(ActionScene.now + 9_000)")
    _ = try await scene.act(told, "MUTE_GROUP", as: .eva, at: ActionScene.now + 1_000)
    #expect(try await end() == ActionScene.now + 9_000)
    #expect(
      try await scene.act(told, "MUTE_GROUP", as: .eva, #""at":"2020-01-01T00:00:00Z""#, at: ActionScene.now + 9_000)
        .status == 409)
  }
}
