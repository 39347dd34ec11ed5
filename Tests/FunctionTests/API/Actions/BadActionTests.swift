import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import Actions

@Suite(.heavy)
struct BadActionTests {
  private static let nobodysPhone = "00000000-0000-4000-8000-000000000000"
  private static let bensPhone = "dd000000-0000-4000-8000-000000000022"
  private static let notYourDevice = "deviceId must be the id of one of your devices."

  @Test func anUnknownNotificationAndSomebodyElsesAreAlike() async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    let state = try await scene.state()

    for what in ["actions", "opened"] {
      var answers: [String?] = []
      for (id, person) in [(asked, Person.ben), (UUID().uuidString, .eva), ("1' OR '1'='1", .eva), ("x", .eva)] {
        let answer = try await scene.send(id, what, as: person, #"{"action":"VOTE_YES"}"#)
        #expect(answer.status == 404)
        answers.append(answer.response.body)
      }
      #expect(Set(answers).count == 1)
    }
    #expect(try await scene.state() == state)
  }

  @Test func aPushOfTheBadgeAloneIsNoNotification() async throws {
    let scene = try await ActionScene()
    let badge = try await scene.insert("badge", of: .lockItIn, to: .ada)

    #expect(try await scene.send(badge, "opened", as: .ada, nil).status == 404)
  }

  @Test(
    arguments: [
      (nil, "The body is missing."), ("[]", "The body must be an object."), ("{}", "action is missing."),
      (#"{"action":null}"#, "action must be one of VOTE_YES, "), (#"{"action":7}"#, "action must be one of VOTE_YES, "),
      (#"{"action":"VOTE_YES","action":"VOTE_NO"}"#, "action is given twice."),
      (#"{"action":"com.apple.UNNotificationDismissActionIdentifier"}"#, "action must be one of VOTE_YES, "),
      (#"{"action":"REPLY_ACTION"}"#, "text is missing."), (#"{"action":"REPLY_ACTION","text":null}"#, "text must be"),
      (#"{"action":"REPLY_ACTION","text":""}"#, "text must be a text of 1 to 4000 characters."),
      (#"{"action":"REPLY_ACTION","text":"a\u0000b"}"#, "text must be a text"),
      (#"{"action":"VOTE_YES","text":7}"#, "text must be a text of 1 to 4000 characters."),
      (#"{"action":"VOTE_YES","deviceId":"phone"}"#, "deviceId must be a UUID."),
      (#"{"action":"VOTE_YES","at":1}"#, "at must be an RFC 3339 time."),
      (#"{"action":"VOTE_YES","at":"yesterday"}"#, "at must be an RFC 3339 time."),
      (#"{"action":"VOTE_YES","at":"2030-13-01T00:00:00Z"}"#, "at must be an RFC 3339 time."),
      (#"{"action":\#(String(repeating: "[", count: 5_000))"#, "The body is"),
    ] as [(String?, String)])
  func whatIsWrongIsNamedAndNothingChanges(body: String?, sentence: String) async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    let state = try await scene.state()

    let answer = try await scene.send(asked, "actions", as: .eva, body)

    #expect(answer.status == 400)
    #expect(answer.reason?.contains(sentence) == true, "\(answer.reason ?? "")")
    #expect(try await scene.state() == state)
  }

  @Test(arguments: [
    ("actions", #"{"action":"SNOOZE"}"#, 409, "action must be one of VOTE_YES, VOTE_MAYBE, VOTE_NO, MUTE_GROUP here."),
    (
      "actions", #"{"action":"REPLY_ACTION","text":"x"}"#, 409,
      "action must be one of VOTE_YES, VOTE_MAYBE, VOTE_NO, MUTE_GROUP here."
    ),
    ("actions", #"{"action":"VOTE_YES","deviceId":"\#(nobodysPhone)"}"#, 404, notYourDevice),
    ("actions", #"{"action":"VOTE_YES","deviceId":"\#(bensPhone)"}"#, 404, notYourDevice),
    ("opened", #"{"deviceId":"x"}"#, 400, "deviceId must be a UUID."),
    ("opened", #"{"at":true}"#, 400, "at must be an RFC 3339 time."),
    ("opened", #"{"deviceId":"\#(bensPhone)"}"#, 404, notYourDevice),
    ("opened", "7", 400, "The body must be an object."),
  ])
  func whatCannotBeDoneHereIsSaid(act: String, body: String, status: Int, sentence: String) async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    let state = try await scene.state()

    let answer = try await scene.send(asked, act, as: .eva, body)

    #expect(answer.status == status)
    #expect(answer.reason == sentence)
    #expect(try await scene.state() == state)
  }

  @Test(arguments: ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2030-01-04t20:00:00+14:00"])
  func aClockThatIsWrongIsBelievedWithinReasonOnly(time: String) async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()

    #expect(try await scene.act(asked, "VOTE_YES", as: .eva, #""at":"\#(time)""#).status == 200)
    #expect(try await scene.act(asked, "VOTE_YES", as: .eva, #""at":"\#(time)""#).status == 200)
    #expect(try await scene.acts() == ["VOTE_YES"])
    #expect(
      try await scene.demo.number(
        """
        SELECT count(*) FROM notification_interactions
        WHERE occurred_at BETWEEN \(Demo.dayBefore) AND \(ActionScene.now)
        """) == 2)
  }

  @Test func aKindWithoutActionsTakesNone() async throws {
    let scene = try await ActionScene()
    let told = try await scene.insert("like", of: .mugshot, to: .ada)

    let answer = try await scene.act(told, "OPEN_EVENT", as: .ada)

    #expect(answer.status == 409)
    #expect(answer.reason == "action must be one that the notification offers; it offers none.")
  }

  @Test(arguments: [nil, "{}", #"{"deviceId":"\#(ActionScene.evasPhone)","at":"2030-01-04T20:00:10Z"}"#])
  func anOpeningIsNotedOnce(body: String?) async throws {
    let scene = try await ActionScene()
    let asked = try await scene.askForVotes()
    try await scene.demo.connection.script("UPDATE deliveries SET state = 'accepted'")

    let answer = try await scene.send(asked, "opened", as: .eva, body)
    let state = try await scene.state()
    let again = try await scene.send(asked, "opened", as: .eva, body)

    #expect(answer.status == 204 && answer.response.body == nil && again.status == 204)
    #expect(try await scene.state() == state)
    #expect(try await scene.demo.number("SELECT count(*) FROM notifications WHERE is_read AND NOT is_archived") == 1)
    #expect(try await scene.texts("SELECT event AS text FROM notification_interactions") == ["opened"])
    #expect(
      try await scene.texts("SELECT state AS text FROM deliveries WHERE user_id = \(Person.eva.id)::uuid") == ["opened"]
    )
  }
}
