import API
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import Travel

@Suite(.heavy)
struct TravelTests {
  private static let path = "/api/v1/events/fa000000-0000-4000-8000-000000000001/travel"

  private func call(
    _ scene: ActionScene, _ body: String? = #"{"minutes":25}"#, method: HTTPMethod = .put, as person: Person = .ada,
    path: String = path, dryRun: Bool = false
  ) async throws -> APIAnswer {
    let connection = scene.demo.connection()
    let function = Travel(tokens: TokenStore(connection), store: TravelStore(connection))
    return try await scene.api.call(
      function, method, path, as: person, method == .put ? body : nil, at: ActionScene.now, dryRun: dryRun)
  }

  private func way(_ scene: ActionScene, of person: Person) async throws -> [String] {
    try await scene.texts(
      """
      SELECT concat_ws(' ', status, travel_minutes, travel_mode, traffic) AS text FROM event_attendees
      WHERE user_id = \(person.id)::uuid
      """)
  }

  /// The texts of the pushes that tell Ada to leave.
  private func pushes(_ scene: ActionScene, minutes: Double, _ id: String) async throws -> [String] {
    try await scene.remind(at: ActionScene.picnic.addingTimeInterval(minutes * 60), id)
    return try await scene.texts(
      "SELECT body AS text FROM notifications WHERE type = 'time_to_leave' AND payload IS NOT NULL")
  }

  @Test func aWayIsStoredAndForgotten() async throws {
    let scene = try await ActionScene()

    let answer = try await call(scene, #"{"minutes":40,"mode":"bike","traffic":"heavy"}"#)

    #expect(answer.status == 200)
    #expect(
      answer.response.body
        == #"{"eventId":"fa000000-0000-4000-8000-000000000001","minutes":40,"mode":"bike","traffic":"heavy"}"#)
    #expect(try await way(scene, of: .ada) == ["yes 40 bike heavy"])
    #expect(try await call(scene, #"{"minutes":0,"mode":null}"#).status == 200)
    #expect(try await way(scene, of: .ada) == ["yes 0"])
    for _ in 1...2 { #expect(try await call(scene, method: .delete).status == 204) }
    #expect(try await way(scene, of: .ada) == ["yes"])
  }

  @Test func anUnsentTimeToLeaveMovesBothWays() async throws {
    let scene = try await ActionScene()
    _ = try await call(scene, #"{"minutes":60}"#)
    #expect(try await pushes(scene, minutes: -76, "t1") == [])
    _ = try await call(scene, #"{"minutes":25}"#)
    #expect(try await pushes(scene, minutes: -60, "t2") == [])
    _ = try await call(scene, #"{"minutes":45,"mode":"bus","traffic":"light"}"#)

    #expect(try await pushes(scene, minutes: -60, "t3") == ["45 min away via bus • Light traffic"])
  }

  @Test(arguments: [10, 90])
  func onceSentNothingIsSentAgain(minutes: Int) async throws {
    let scene = try await ActionScene()
    #expect(try await pushes(scene, minutes: -40, "t1").count == 1)

    _ = try await call(scene, #"{"minutes":\#(minutes)}"#)

    for (number, time) in [-39.0, -25, -10].enumerated() {
      #expect(try await pushes(scene, minutes: time, "later-\(number)").count == 1)
    }
  }

  @Test func nobodyIsToldToLeaveWhoseWayIsForgotten() async throws {
    let scene = try await ActionScene()
    _ = try await call(scene, method: .delete)

    #expect(try await pushes(scene, minutes: -40, "t1") == [])
  }

  @Test(arguments: [("yes", 200, ["yes 25"]), ("maybe", 200, ["maybe 25"]), ("no", 404, []), (nil, 404, [])])
  func whoHasOnlyVotedComesAsTheyVoted(vote: String?, status: Int, way: [String]) async throws {
    let scene = try await ActionScene()
    try await scene.demo.connection.script(
      """
      DELETE FROM event_attendees; DELETE FROM proposal_votes;
      UPDATE events SET option_id = '\(Demo.saturday)', proposal_id = '\(Demo.proposal)'
      """)
    if let vote { _ = try await scene.demo.cast(vote, by: .hugo, on: Demo.saturday) }

    #expect(try await call(scene, as: .hugo).status == status)
    #expect(try await self.way(scene, of: .hugo) == way)
    #expect(try await call(scene, method: .delete, as: .hugo).status == (status == 200 ? 204 : 404))
  }

  @Test(arguments: [
    ("DELETE FROM group_members WHERE user_id = '\(Person.ada.id)'", Person.ada, path), ("", .grace, path),
    ("", .ada, "/api/v1/events/fa000000-0000-4000-8000-00000000000f/travel"), ("", .ada, "/api/v1/events/x/travel"),
  ])
  func whoHasNothingToDoWithAnEventFindsNone(change: String, person: Person, path: String) async throws {
    let scene = try await ActionScene()
    try await scene.demo.connection.script(change)
    let state = try await scene.state()

    for method in [HTTPMethod.put, .delete] {
      #expect(try await call(scene, method: method, as: person, path: path).status == 404)
    }
    #expect(try await scene.state() == state)
  }

  @Test(
    arguments: [
      (nil, "The body is missing."), ("{}", "minutes is missing."), (#"{"minutes":null}"#, "minutes must be a whole"),
      (#"{"minutes":-1}"#, "minutes must be a whole number from 0 to 1440."), (#"{"minutes":1441}"#, "minutes must be"),
      (#"{"minutes":1e99}"#, "minutes must be"), (#"{"minutes":99999999999999999999}"#, "minutes must be"),
      (#"{"minutes":2.5}"#, "minutes must be"), (#"{"minutes":"25"}"#, "minutes must be"),
      (#"{"minutes":25,"minutes":26}"#, "minutes is given twice."),
      (#"{"minutes":25,"mode":""}"#, "mode must be a text of 1 to 50 characters."),
      (#"{"minutes":25,"mode":7}"#, "mode must be"), (#"{"minutes":25,"traffic":{}}"#, "traffic must be"),
      (#"{"minutes":25,"traffic":"a\u0000"}"#, "traffic must be"),
      (#"{"minutes":25,"mode":"\#(String(repeating: "x", count: 51))"}"#, "mode must be"),
    ] as [(String?, String)])
  func whatIsWrongIsNamedAndNothingChanges(body: String?, sentence: String) async throws {
    let scene = try await ActionScene()
    let state = try await scene.state()

    let answer = try await call(scene, body)

    #expect(answer.status == 400)
    #expect(answer.reason?.contains(sentence) == true, "\(answer.reason ?? "")")
    #expect(try await scene.state() == state)
  }

  @Test func aDryRunAnswersAndChangesNothing() async throws {
    let scene = try await ActionScene()

    #expect(try await call(scene, #"{"minutes":90}"#, dryRun: true).status == 200)
    #expect(try await call(scene, method: .delete, dryRun: true).status == 204)
    #expect(try await way(scene, of: .ada) == ["yes 25 car light"])
  }
}
