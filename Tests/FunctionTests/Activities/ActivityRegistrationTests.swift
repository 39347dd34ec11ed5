import API
import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

@testable import Devices

/// Tokens of ActivityKit, as apps register them.
@Suite(.heavy)
struct ActivityRegistrationTests {
  private static let token = String(repeating: "aB", count: 80)

  private static func body(
    device: String = "dd000000-0000-4000-8000-000000000025", token: String = token, type: String = ActivityScene.type,
    app: String = "lockitin", proposal: String? = nil
  ) -> String {
    let subject = proposal.map { #","proposalId":"\#($0)""# } ?? ""
    return #"{"app":"\#(app)","deviceId":"\#(device)","attributesType":"\#(type)","token":"\#(token)"\#(subject)}"#
  }

  private func register(
    _ scene: APIScene, _ body: String, as person: Person = .eva, dryRun: Bool = false
  ) async throws -> APIAnswer {
    try await scene.call(scene.devices, .post, "/api/v1/activities", as: person, body, dryRun: dryRun)
  }

  @Test(arguments: [nil, Demo.proposal])
  func aTokenIsRegisteredAndNeverShown(proposal: String?) async throws {
    let scene = try await APIScene()

    let answer = try await register(scene, Self.body(proposal: proposal))
    let again = try await register(scene, Self.body(proposal: proposal))

    #expect(answer.status == 201 && answer.json["id"] == again.json["id"])
    #expect(answer.json["proposalId"]?.stringValue == proposal)
    #expect(answer.response.body?.lowercased().contains(Self.token.lowercased()) == false)
    let row = try await scene.connection.query("SELECT token, subject_id FROM live_activities").only()
    #expect(row["token"] == Self.token.lowercased() && row["subject_id"] == proposal ?? "")
  }

  @Test func aDryRunRegistersNothing() async throws {
    let scene = try await APIScene()

    #expect(try await register(scene, Self.body(), dryRun: true).status == 201)
    #expect(try await scene.demo.number("SELECT count(*) FROM live_activities") == 0)
  }

  @Test func aTokenBelongsToTheActivityThatItWasRegisteredForLast() async throws {
    let scene = try await APIScene()
    _ = try await register(scene, Self.body())

    let other = try await register(
      scene, Self.body(device: "dd000000-0000-4000-8000-000000000022", proposal: Demo.proposal), as: .ben)

    #expect(other.status == 201)
    let rows = try await scene.connection.query(
      "SELECT token IS NOT NULL AS has, ended_reason FROM live_activities ORDER BY created_at, subject_id")
    #expect(rows.map { $0["has"] } == ["f", "t"] && rows.map { $0["ended_reason"] } == ["replaced", nil])
  }

  @Test(
    arguments: [
      (body(type: "OrderAttributes"), 400, "attributesType must be ProposalActivityAttributes"),
      (body(app: "feedbackkit"), 400, "feedbackkit has no Live Activities."),
      (body(token: "abc"), 400, "token must be a token of ActivityKit"),
      (body(token: "xyzxyzxy"), 400, "token must be a token of ActivityKit"),
      (body(device: "mine"), 400, "deviceId must be a UUID"),
      (body(device: "dd000000-0000-4000-8000-000000000022"), 404, "Not Found"),
      (body(device: "dd000000-0000-4000-8000-000000000005"), 404, "Not Found"),
      (body(proposal: "f4000000-0000-4000-8000-0000000000ff"), 404, "Not Found"),
      ("{}", 400, "app is missing"),
    ])
  func whatIsWrongIsRefused(body: String, status: Int, reason: String) async throws {
    let scene = try await APIScene()

    let answer = try await register(scene, body)

    #expect(answer.status == status && answer.reason?.hasPrefix(reason) == true)
    #expect(try await scene.demo.number("SELECT count(*) FROM live_activities") == 0)
  }

  @Test func aProposalOfAnotherGroupIsNotThere() async throws {
    let scene = try await APIScene()
    _ = try await scene.connection.query("DELETE FROM group_members WHERE user_id = \(Person.eva.id)::uuid")

    #expect(try await register(scene, Self.body(proposal: Demo.proposal)).status == 404)
  }

  @Test func anActivityEndsForItsPersonAlone() async throws {
    let scene = try await APIScene()
    let id = try #require(try await register(scene, Self.body(proposal: Demo.proposal)).json["id"]?.stringValue)
    func end(as person: Person) async throws -> Int {
      try await scene.call(scene.devices, .delete, "/api/v1/activities/\(id)", as: person).status
    }

    #expect(try await end(as: .ben) == 404)
    #expect(try await end(as: .eva) == 204)
    #expect(try await end(as: .eva) == 404)
    #expect(
      try await scene.demo.number("SELECT count(*) FROM live_activities WHERE token IS NULL AND ended_at IS NOT NULL")
        == 1)
  }
}
