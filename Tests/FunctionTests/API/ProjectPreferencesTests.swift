import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct ProjectPreferencesTests {
  private static let id = "b0000000-0000-4000-8000-000000000001"
  private static let harborPath = "/api/v1/projects/b0000000-0000-4000-8000-000000000002/notification-preferences"

  @Test func theAnswerIsTheSeeds() async throws {
    let scene = try await APIScene()
    _ = try await scene.patch(APIScene.personal, #"{"pushNotifyVotes":false}"#)

    let answer = try await scene.patch(
      APIScene.projectPath,
      #"{"push":{"muted":false,"newFeedback":null,"newComments":true,"votes":null,"statusChanges":false}}"#)

    #expect(answer.status == 200)
    #expect(
      answer.response.body == #"{"projectId":"\#(Self.id)","userId":"\#(Person.ada.id)","#
        + #""push":{"muted":false,"newFeedback":null,"newComments":true,"votes":null,"statusChanges":false},"#
        + #""email":{"muted":false,"newFeedback":null,"newComments":null},"#
        + #""effectivePreferences":{"push":{"newFeedback":true,"newComments":true,"votes":false,"#
        + #""statusChanges":false}}}"#)
    #expect(answer.response.body == (try await scene.read(APIScene.projectPath)).response.body)
    let row = try await scene.connection.query(
      "SELECT updated_at FROM project_member_preferences WHERE user_id = \(Person.ada.id)::uuid"
    ).only()
    #expect(try row.decode("updated_at") == Demo.now)
  }

  @Test(arguments: ["newFeedback", "newComments", "votes", "statusChanges"])
  func anOverrideIsSetKeptAndCleared(_ name: String) async throws {
    let scene = try await APIScene()
    let fresh = try await scene.read(APIScene.projectPath)

    for value in ["true", "false"] {
      let set = try await scene.patch(APIScene.projectPath, #"{"push":{"\#(name)":\#(value)}}"#)
      #expect(set["push", name] == value && set["effectivePreferences", "push", name] == value)
      let kept = try await scene.patch(APIScene.projectPath, #"{"push":{},"other":1}"#)
      #expect(kept.response.body == set.response.body)
    }
    let cleared = try await scene.patch(APIScene.projectPath, #"{"push":{"\#(name)":null}}"#)
    #expect(cleared.response.body == fresh.response.body)
  }

  @Test func eMailHasOverridesToo() async throws {
    let scene = try await APIScene()

    let set = try await scene.patch(
      APIScene.projectPath, #"{"email":{"muted":true,"newFeedback":false,"newComments":true}}"#)
    let cleared = try await scene.patch(APIScene.projectPath, #"{"email":{"newFeedback":null}}"#)

    #expect(set["email"] == #"{"muted":true,"newFeedback":false,"newComments":true}"#)
    #expect(cleared["email"] == #"{"muted":true,"newFeedback":null,"newComments":true}"#)
    #expect(cleared["push", "muted"] == "false")
  }

  @Test(
    arguments: [
      (false, true, nil, false), (false, true, true, false), (false, false, true, false), (true, false, nil, false),
      (true, true, nil, true), (true, true, false, false), (true, false, true, true),
    ] as [(Bool, Bool, Bool?, Bool)])
  func theSeedsTableHolds(isEnabled: Bool, personal: Bool, override: Bool?, isHeard: Bool) async throws {
    let scene = try await APIScene()
    let names = [
      "newFeedback": "pushNotifyNewFeedback", "newComments": "pushNotifyNewComments", "votes": "pushNotifyVotes",
      "statusChanges": "pushNotifyStatusChanges",
    ]
    for (name, own) in names {
      let body = #"{"pushNotificationsEnabled":\#(isEnabled),"\#(own)":\#(personal)}"#
      #expect(try await scene.patch(APIScene.personal, body).status == 200)

      let value = override.map { "\($0)" } ?? "null"
      let answer = try await scene.patch(APIScene.projectPath, #"{"push":{"muted":false,"\#(name)":\#(value)}}"#)
      #expect(answer["effectivePreferences", "push", name] == "\(isHeard)")
      let muted = try await scene.patch(APIScene.projectPath, #"{"push":{"muted":true}}"#)
      #expect(muted["effectivePreferences", "push", name] == "false")
    }
  }

  @Test func onlyThoseWhomItConcernsSeeIt() async throws {
    let scene = try await APIScene()
    let before = try await scene.stored()
    let unknown = "/api/v1/projects/b0000000-0000-4000-8000-0000000000ff/notification-preferences"

    for (path, person) in [
      (Self.harborPath, Person.finn), (unknown, .ada), ("/api/v1/projects/7/notification-preferences", .ada),
    ] {
      let read = try await scene.read(path, as: person)
      let written = try await scene.patch(path, as: person, #"{"push":{"muted":true}}"#)
      #expect(read.status == 404 && written.status == 404)
      #expect(read.response.body == written.response.body)
    }
    #expect(try await scene.stored() == before)
    #expect(try await scene.read(APIScene.projectPath, as: .ben).status == 200)
  }

  @Test func whoSubmittedOrVotedSeesAndChangesIt() async throws {
    let scene = try await APIScene()
    // The account is found by its id, no matter which address stands beside it.
    _ = try await scene.connection.query(
      """
      INSERT INTO feedbacks (title, description, category, status, user_id, user_email, project_id)
      SELECT 'T', 'D', 'bug', 'pending', \(Person.finn.id), 'grace@example.com', id FROM projects WHERE name = 'Harbor'
      """)

    for (person, path) in [
      (Person.grace, APIScene.projectPath), (.hugo, APIScene.projectPath), (.finn, Self.harborPath),
    ] {
      #expect(try await scene.read(path, as: person).status == 200)
      let muted = try await scene.patch(path, as: person, #"{"push":{"muted":true}}"#)
      #expect(muted.status == 200 && muted["push", "muted"] == "true")
    }
    #expect(try await scene.read(Self.harborPath, as: .grace).status == 404)
    _ = try await scene.connection.query("DELETE FROM feedbacks")
    #expect(try await scene.read(APIScene.projectPath, as: .hugo).status == 404)
  }

  @Test(arguments: [
    (APIScene.projectPath, ["newFeedback", "votes"]), (APIScene.groupPath, ["voteUpdates", "eventReminders"]),
  ])
  func twoChangesAtOnceOfARowThatIsNotThereAreBothKept(path: String, names: [String]) async throws {
    let scene = try await APIScene()
    let other = try await APIScene.second(scene)

    async let first = scene.patch(path, as: .ben, #"{"push":{"\#(names[0])":false}}"#).status
    async let second = other.patch(path, as: .ben, #"{"push":{"\#(names[1])":false}}"#).status

    #expect(try await [first, second] == [200, 200])
    let answer = try await scene.read(path, as: .ben)
    #expect(names.map { answer["push", $0] } == ["false", "false"])
  }
}
