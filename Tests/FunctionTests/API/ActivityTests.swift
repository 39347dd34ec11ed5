import API
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import Activity
@testable import VoteCast

extension APIScene {
  fileprivate var activity: Activity { Activity(tokens: tokens, store: ActivityStore(connection)) }

  fileprivate func activity(
    _ method: HTTPMethod, _ query: [String: String] = [:], _ body: String? = nil, as person: Person = .ada,
    at now: Date = Demo.now, dryRun: Bool = false
  ) async throws -> APIAnswer {
    try await call(activity, method, "/api/v1/activity", as: person, query: query, body, at: now, dryRun: dryRun)
  }

  /// The subjects that are noted, as `app subject`.
  fileprivate func watched(by person: Person = .ada) async throws -> [String] {
    try await connection.query(
      """
      SELECT app || ' ' || subject_id AS subject FROM user_activity WHERE user_id = \(person.id)::uuid ORDER BY 1
      """
    ).decode("subject")
  }
}

@Suite(.heavy)
struct ActivityTests {
  /// A person who looks at the feedback is not pushed about it; two minutes later they are.
  @Test func whoeverLooksAtItIsNotTold() async throws {
    let policy = try await DeliveryPolicyScene()
    let scene = APIScene(policy.demo)
    try await scene.issueTokens()
    let person = try #require(Person.allCases.first { $0.id == policy.person.uuidString.lowercased() })
    let body = #"{"feedbackId":"\#(RowEvent.feedback.uppercased())"}"#

    let answer = try await scene.activity(.put, [:], body, as: person)
    let looking = try await policy.vote(1, at: Demo.now + 119)
    let stale = try await policy.vote(2, at: Demo.now + 120)

    #expect(answer.status == 204 && answer.response.body == nil)
    #expect(looking.result.counts == ["viewing": 1])
    #expect(stale.result.notified == 1)
  }

  @Test func whoeverHasLeftIsTold() async throws {
    let policy = try await DeliveryPolicyScene()
    let scene = APIScene(policy.demo)
    try await scene.issueTokens()
    let person = try #require(Person.allCases.first { $0.id == policy.person.uuidString.lowercased() })
    _ = try await scene.activity(.put, [:], #"{"subjectId":"\#(RowEvent.feedback)"}"#, as: person)

    #expect(try await scene.activity(.delete, as: person).status == 204)

    #expect(try await policy.vote(1, at: Demo.now + 1).result.notified == 1)
  }

  @Test func oneSubjectIsLookedAtInEachApp() async throws {
    let scene = try await APIScene()

    for (app, body) in [
      ("feedbackkit", #"{"subjectId":"A"}"#), ("feedbackkit", #"{"feedbackId":"B"}"#),
      ("lockitin", #"{"proposalId":"A0000000-0000-4000-8000-00000000000A"}"#),
      ("repairminder", #"{"entity_id":"Order 7"}"#),
      ("mugshot", #"{"visitId":"A0000000-0000-4000-8000-00000000000A"}"#),
      ("messageai", #"{"conversationId":"c-1","ignored":[1]}"#),
    ] {
      #expect(try await scene.activity(.put, ["app": app], body).status == 204)
    }

    #expect(
      try await scene.watched() == [
        "feedbackkit B", "lockitin a0000000-0000-4000-8000-00000000000a", "messageai c-1",
        "mugshot A0000000-0000-4000-8000-00000000000A", "repairminder Order 7",
      ])
  }

  @Test func anyNameDoesForEachApp() async throws {
    let scene = try await APIScene()
    let body = #"{"activeConversationId":"A","eventId":null}"#

    #expect(try await scene.activity(.put, ["app": "mugshot"], body).status == 204)

    #expect(try await scene.watched() == ["mugshot A"])
    #expect(try await scene.activity(.delete, ["app": "mugshot", "subjectId": "A"], #"{"eventId":7}"#).status == 400)
    #expect(try await scene.activity(.delete, ["app": "mugshot", "subjectId": "A"], #"{"eventId":"B"}"#).status == 204)
    #expect(try await scene.watched() == [])
  }

  @Test func aScreenThatIsLeftLateDoesNotTakeTheNextOneAway() async throws {
    let scene = try await APIScene()
    let app = ["app": "messageai"]
    _ = try await scene.activity(.put, app, #"{"conversationId":"one"}"#)
    _ = try await scene.activity(.put, app, #"{"conversationId":"two"}"#)

    let late = try await scene.activity(.delete, ["app": "messageai", "conversationId": "one"])
    #expect(late.status == 204)
    #expect(try await scene.watched() == ["messageai two"])

    #expect(try await scene.activity(.delete, app, #"{"conversationId":"one"}"#).status == 204)
    #expect(try await scene.watched() == ["messageai two"])

    #expect(try await scene.activity(.delete, app, #"{"conversationId":"two"}"#).status == 204)
    #expect(try await scene.watched().isEmpty)
    #expect(try await scene.activity(.delete, app).status == 204)
  }

  @Test func nobodyElsesScreenIsTouched() async throws {
    let scene = try await APIScene()
    _ = try await scene.activity(.put, [:], #"{"subjectId":"A"}"#, as: .ben)

    _ = try await scene.activity(.delete)
    _ = try await scene.activity(.delete, ["app": "mugshot"], as: .ben)

    #expect(try await scene.watched(by: .ben) == ["feedbackkit A"])
    let nobody = try await scene.call(scene.activity, .delete, "/api/v1/activity", as: nil)
    #expect(nobody.status == 401)
  }

  @Test func aDryRunChangesNothing() async throws {
    let scene = try await APIScene()
    _ = try await scene.activity(.put, [:], #"{"subjectId":"A"}"#)

    #expect(try await scene.activity(.put, [:], #"{"subjectId":"B"}"#, dryRun: true).status == 204)
    #expect(try await scene.activity(.delete, dryRun: true).status == 204)

    #expect(try await scene.watched() == ["feedbackkit A"])
  }

  @Test(arguments: [
    (HTTPMethod.put, nil, "The body is missing."), (.put, "[]", "The body must be an object."),
    (.put, "{", "The body is not valid JSON"), (.put, "{}", "subjectId is missing."),
    (.put, #"{"subjectId":null}"#, "subjectId is missing."),
    (.put, #"{"subjectId":""}"#, "subjectId must be a text of 1 to 255 characters."),
    (.put, #"{"subjectId":7}"#, "subjectId must be"), (.put, #"{"subjectId":["A"]}"#, "subjectId must be"),
    (.put, #"{"subjectId":"a\u0000"}"#, "subjectId must be"),
    (.put, #"{"feedbackId":"\#(String(repeating: "é", count: 256))"}"#, "feedbackId must be"),
    (.put, #"{"subjectId":"A","subjectId":"B"}"#, "subjectId is given twice."),
    (.put, #"{"subjectId":"A","feedbackId":"B"}"#, "subjectId and feedbackId cannot both be given."),
    (.put, #"{"conversationId":"A","visit_id":"B"}"#, "visit_id and conversationId cannot both be given."),
    (.put, #"{"subjectId":"A","visitId":7}"#, "visitId must be a text of 1 to 255 characters."),
    (.put, #"{"feedback_id":"A"}"#, "feedback_id must be written feedbackId."),
    (.put, String(repeating: "[", count: 100), "The body is not valid JSON"),
    (.delete, #"{"subjectId":7}"#, "subjectId must be"), (.delete, "7", "The body must be an object."),
  ])
  func whatIsWrongIsNamedAndNothingChanges(_ method: HTTPMethod, _ body: String?, _ sentence: String) async throws {
    let scene = try await APIScene()
    _ = try await scene.activity(.put, [:], #"{"subjectId":"before"}"#)

    let answer = try await scene.activity(method, [:], body)

    #expect(answer.status == 400)
    #expect(answer.reason?.contains(sentence) == true, "\(answer.reason ?? "")")
    #expect(try await scene.watched() == ["feedbackkit before"])
  }

  @Test(arguments: [["app": "other"], ["subjectId": ""], ["subjectId": String(repeating: "x", count: 256)]])
  func anUnusableQuestionIsRefused(_ query: [String: String]) async throws {
    let scene = try await APIScene()
    #expect(try await scene.activity(.delete, query).status == 400)
  }
}
