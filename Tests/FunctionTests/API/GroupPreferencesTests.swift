import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct GroupPreferencesTests {
  private func document(level: String, _ effective: [Bool]) -> String {
    let names = [
      "proposalNotifications", "voteCast", "voteUpdates", "votingDeadline", "confirmations", "dayBeforeReminders",
      "eventReminders",
    ]
    let overrides = names.map { #""\#($0)":null"# }.joined(separator: ",")
    let push = zip(names, effective).map { #""\#($0)":\#($1)"# }.joined(separator: ",")
    return #"{"groupId":"\#(Demo.group)","userId":"\#(Person.ada.id)","push":{"level":"\#(level)",\#(overrides)},"#
      + #""effectivePreferences":{"push":{\#(push)}}}"#
  }

  @Test func whoTouchedNothingHearsWhatIsUsual() async throws {
    let scene = try await APIScene()

    #expect(
      try await scene.read(APIScene.groupPath).response.body
        == document(level: "all", [true, false, true, true, true, false, true]))
  }

  @Test(
    arguments: [
      ("important", [true, false, false, true, false, false, true]),
      ("MUTED", [false, false, false, false, false, false, false]),
    ])
  func aLevelLetsThroughWhatIsImportant(_ level: String, _ effective: [Bool]) async throws {
    let scene = try await APIScene()

    let answer = try await scene.patch(APIScene.groupPath, #"{"push":{"level":"\#(level)"}}"#)

    #expect(answer.response.body == document(level: level.lowercased(), effective))
  }

  @Test func everySwitchIsSetKeptAndCleared() async throws {
    let scene = try await APIScene()
    let fresh = try await scene.read(APIScene.groupPath).response.body
    #expect(Override.group.count == 7)

    for name in Override.group.map(\.name) {
      for value in ["true", "false"] {
        let set = try await scene.patch(APIScene.groupPath, #"{"push":{"\#(name)":\#(value)}}"#)
        #expect(set["push", name] == value && set["effectivePreferences", "push", name] == value)
        #expect(try await scene.patch(APIScene.groupPath, "{}").response.body == set.response.body)
      }
    }
    for name in Override.group.map(\.name) {
      _ = try await scene.patch(APIScene.groupPath, #"{"push":{"\#(name)":null}}"#)
    }
    #expect(try await scene.read(APIScene.groupPath).response.body == fresh)
    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM group_notification_preferences WHERE updated_at = \(Demo.now)") == 1)
  }

  /// LockItIn's own table has such defaults.
  @Test(arguments: [("", "null", "false"), (", ALTER vote_updates SET NOT NULL", "true", "true")])
  func whatATableSaysByDefaultIsNoChoice(needed: String, shown: String, effective: String) async throws {
    let scene = try await APIScene()
    try await scene.connection.script(
      """
      UPDATE group_notification_preferences SET vote_updates = true WHERE user_id <> '\(Person.ada.id)';
      ALTER TABLE group_notification_preferences ALTER vote_updates SET DEFAULT true\(needed);
      INSERT INTO user_notification_preferences (user_id, vote_updates) VALUES ('\(Person.ada.id)', false)
        ON CONFLICT (user_id) DO UPDATE SET vote_updates = false;
      """)

    let answer = try await scene.patch(APIScene.groupPath, #"{"push":{"voteCast":true}}"#)

    #expect(answer["push", "voteCast"] == "true" && answer["push", "voteUpdates"] == shown)
    #expect(answer["effectivePreferences", "push", "voteUpdates"] == effective)
  }

  @Test func onlyMembersSeeIt() async throws {
    let scene = try await APIScene()
    let before = try await scene.stored()
    let unknown = "/api/v1/groups/f0000000-0000-4000-8000-0000000000ff/notification-preferences"

    for (path, person) in [(APIScene.groupPath, Person.grace), (unknown, .ada)] {
      #expect(try await scene.read(path, as: person).status == 404)
      #expect(try await scene.patch(path, as: person, #"{"push":{"level":"muted"}}"#).status == 404)
    }
    #expect(try await scene.stored() == before)
  }

  @Test func whoProposedChoosesWhetherToHearOfVotes() async throws {
    let scene = try await APIScene()
    func effective(_ answer: APIAnswer) -> String? { answer["effectivePreferences", "push", "voteCast"] }

    #expect(
      try await scene.read(APIScene.proposal).response.body
        == #"{"proposalId":"\#(Demo.proposal)","userId":"\#(Person.ada.id)","voteCast":null,"#
        + #""effectivePreferences":{"push":{"voteCast":false}}}"#)
    let on = try await scene.patch(APIScene.proposal, #"{"voteCast":true}"#)
    #expect(on["voteCast"] == "true" && effective(on) == "true")
    #expect(try await scene.patch(APIScene.proposal, "{}").response.body == on.response.body)
    _ = try await scene.patch(APIScene.groupPath, #"{"push":{"voteCast":true}}"#)
    let off = try await scene.patch(APIScene.proposal, #"{"voteCast":false}"#)
    #expect(off["voteCast"] == "false" && effective(off) == "false")
    let cleared = try await scene.patch(APIScene.proposal, #"{"voteCast":null}"#)
    #expect(cleared["voteCast"] == "null" && effective(cleared) == "true")
  }

  @Test func nobodyElseChoosesForThem() async throws {
    let scene = try await APIScene()
    let before = try await scene.stored()

    for person in [Person.ben, .grace] {
      #expect(try await scene.read(APIScene.proposal, as: person).status == 404)
      #expect(try await scene.patch(APIScene.proposal, as: person, #"{"voteCast":true}"#).status == 404)
    }
    #expect(try await scene.stored() == before)
    _ = try await scene.connection.query("DELETE FROM group_members WHERE user_id = \(Person.ada.id)::uuid")
    #expect(try await scene.patch(APIScene.proposal, #"{"voteCast":true}"#).status == 404)
  }
}
