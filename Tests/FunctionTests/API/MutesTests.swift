import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport
import Testing

/// Mutes that end by themselves, by the API.
@Suite(.heavy)
struct MutesTests {
  private static let project = "b0000000-0000-4000-8000-000000000001"

  private func mute(_ scope: String, _ app: String?, _ id: String?, until end: Date) -> String {
    func text(_ value: String?) -> String { value.map { "\"\($0)\"" } ?? "null" }
    return #"{"scope":"\#(scope)","app":\#(text(app)),"id":\#(text(id)),"until":"\#(RFC3339.seconds(end))"}"#
  }

  @Test func eachScopeIsMutedAndUnmuted() async throws {
    let scene = try await APIScene()
    let end = Demo.now + 3_600
    try await scene.mute(#"{"scope":"person","minutes":60}"#)
    try await scene.mute(#"{"scope":"app","app":"mugshot","minutes":60}"#)
    try await scene.mute(#"{"scope":"group","id":"\#(Demo.group.uppercased())","minutes":60}"#)
    try await scene.mute(#"{"scope":"project","app":"feedbackkit","id":"\#(Self.project)","minutes":60}"#)
    let all = try await scene.mute(#"{"scope":"proposal","id":"\#(Demo.proposal)","minutes":60}"#)

    let expected = [
      mute("app", "mugshot", nil, until: end), mute("group", "lockitin", Demo.group, until: end),
      mute("person", nil, nil, until: end), mute("project", "feedbackkit", Self.project, until: end),
      mute("proposal", "lockitin", Demo.proposal, until: end),
    ]
    #expect(all.response.body == #"{"mutes":[\#(expected.joined(separator: ","))]}"#)
    #expect(try await scene.mutes().response.body == all.response.body)
    #expect(try await scene.mutes(as: .ben).response.body == #"{"mutes":[]}"#)

    let fewer = try await scene.mute(#"{"scope":"group","id":"\#(Demo.group)","until":null}"#)
    #expect(fewer.json["mutes"]?.elements?.count == 4)
    #expect(try await scene.mutes(at: end).response.body == #"{"mutes":[]}"#)
    // A mute that is over goes with the next change.
    try await scene.mute(#"{"scope":"person","minutes":1}"#, at: end)
    #expect(try await scene.demo.number("SELECT count(*) FROM notification_mutes") == 1)
  }

  @Test func aMorningIsThePersonsInTheAppElseInAnother() async throws {
    let scene = try await APIScene()
    let now = try #require(RFC3339.date("2026-03-28T10:00:00Z"))
    let morning = { (body: String) in try await scene.mute(body, at: now)["mutes"] ?? "" }

    #expect(try await morning(#"{"scope":"person","until":"tomorrow"}"#).contains("2026-03-29T08:00:00Z"))
    _ = try await scene.patch(
      APIScene.personal, app: "mugshot", #"{"quietHours":{"timezone":"America/New_York"}}"#)
    #expect(try await morning(#"{"scope":"person","until":"tomorrow"}"#).contains("2026-03-29T12:00:00Z"))
    _ = try await scene.patch(APIScene.personal, app: "lockitin", #"{"quietHours":{"timezone":"Europe/Berlin"}}"#)
    let group = #"{"scope":"group","id":"\#(Demo.group)","until":"tomorrow"}"#
    #expect(try await morning(group).contains("2026-03-29T06:00:00Z"))
    let zoned = #"{"scope":"app","app":"lockitin","until":"monday","timezone":"Asia/Tokyo"}"#
    #expect(try await morning(zoned).contains("2026-03-29T23:00:00Z"))
  }

  @Test(arguments: [
    (#"{}"#, 400, "scope is missing."),
    (#"{"scope":"planet","minutes":60}"#, 400, "scope must be one of person, app, project, group, proposal."),
    (#"{"scope":"person"}"#, 400, "until is missing."),
    (#"{"scope":"person","minutes":60,"until":"tomorrow"}"#, 400, "until and minutes must not both be given."),
    (#"{"scope":"person","minutes":0}"#, 400, "minutes must be a whole number from 1 to 527040."),
    (#"{"scope":"person","minutes":527041}"#, 400, "minutes must be a whole number from 1 to 527040."),
    (
      #"{"scope":"person","until":"someday"}"#, 400,
      "until must be an RFC 3339 time, tomorrow, or a weekday such as monday."
    ),
    (#"{"scope":"person","until":"2020-01-01T00:00:00Z"}"#, 409, "until must be later than now."),
    (#"{"scope":"person","until":"2039-01-01T00:00:00Z"}"#, 409, "until must be within a year from now."),
    (#"{"scope":"person","app":"lockitin","minutes":60}"#, 400, "app must be left out for a person."),
    (
      #"{"scope":"app","app":"lockitin","id":"b0000000-0000-4000-8000-000000000001","minutes":60}"#, 400,
      "id must be left out for an app."
    ),
    (#"{"scope":"app","minutes":60}"#, 400, "app is missing."),
    (#"{"scope":"project","minutes":60}"#, 400, "id is missing."),
    (
      #"{"scope":"project","app":"lockitin","id":"b0000000-0000-4000-8000-000000000001","minutes":60}"#, 400,
      "app must be feedbackkit for a project, or be left out."
    ),
    (#"{"scope":"project","id":"b0000000-0000-4000-8000-0000000000ff","minutes":60}"#, 404, "Not Found"),
    // A project of another app is no group.
    (#"{"scope":"group","id":"b0000000-0000-4000-8000-000000000001","minutes":60}"#, 404, "Not Found"),
    (#"{"scope":"proposal","id":"b0000000-0000-4000-8000-000000000001","minutes":60}"#, 404, "Not Found"),
    (
      #"{"scope":"person","until":"tomorrow","timezone":"Mars/Olympus"}"#, 400,
      "timezone must be an IANA time zone, such as Europe/Berlin."
    ),
  ])
  func whatCannotBeMutedIsRefused(_ body: String, _ status: Int, _ reason: String) async throws {
    let scene = try await APIScene()

    let answer = try await scene.mute(body)

    #expect(answer.status == status && answer.reason == reason)
    #expect(try await scene.demo.number("SELECT count(*) FROM notification_mutes") == 0)
  }

  @Test func nobodyMutesAGroupOrProposalOfOthers() async throws {
    let scene = try await APIScene()
    _ = try await scene.connection.query(
      "DELETE FROM group_members WHERE group_id = \(Demo.group)::uuid AND user_id = \(Person.ada.id)::uuid")

    for (scope, id) in [("group", Demo.group), ("proposal", Demo.proposal)] {
      #expect(try await scene.mute(#"{"scope":"\#(scope)","id":"\#(id)","minutes":60}"#).status == 404)
    }
  }

  @Test func whoHasLeftAGroupStillEndsItsMute() async throws {
    let scene = try await APIScene()
    try await scene.mute(#"{"scope":"group","id":"\#(Demo.group)","minutes":60}"#)
    _ = try await scene.connection.query(
      "DELETE FROM group_members WHERE group_id = \(Demo.group)::uuid AND user_id = \(Person.ada.id)::uuid")

    let answer = try await scene.mute(#"{"scope":"group","id":"\#(Demo.group)","until":null}"#)

    #expect(answer.response.body == #"{"mutes":[]}"#)
  }

  @Test func aDryRunMutesNothing() async throws {
    let scene = try await APIScene()

    let answer = try await scene.mute(#"{"scope":"person","minutes":60}"#, dryRun: true)

    #expect(answer.json["mutes"]?.elements?.count == 1)
    #expect(try await scene.mutes().response.body == #"{"mutes":[]}"#)
  }

  @Test func weekdaysHaveHoursOfTheirOwn() async throws {
    let scene = try await APIScene()
    func days(_ app: String, _ change: String) async throws -> String? {
      try await scene.patch(APIScene.personal, app: app, #"{"quietHours":{"days":\#(change)}}"#)["quietHours", "days"]
    }

    for app in ["feedbackkit", "lockitin", "mugshot"] {
      let saturday = #"{"saturday":{"start":"23:30","end":"10:00"}}"#
      #expect(try await days(app, saturday) == saturday)
      let both = #"{"saturday":{"start":"23:30","end":"10:00"},"sunday":{"start":"00:00","end":"00:00"}}"#
      #expect(try await days(app, #"{"sunday":{"start":"00:00","end":"00:00"}}"#) == both)
      #expect(try await days(app, "{}") == both)
      #expect(try await days(app, #"{"sunday":null,"monday":null}"#) == saturday)
    }
  }

  /// LockItIn's column, as an app may have made it itself.
  @Test(arguments: ["text", "json", "varchar(300)"])
  func weekdaysStayInAColumnOfAnotherType(type: String) async throws {
    let scene = try await APIScene()
    try await scene.connection.script(
      "ALTER TABLE user_notification_preferences DROP quiet_hours_days, ADD quiet_hours_days \(type)")
    func days(_ change: String) async throws -> String? {
      let body = #"{"quietHours":{"days":\#(change)}}"#
      return try await scene.patch(APIScene.personal, app: "lockitin", body)["quietHours", "days"]
    }

    let saturday = #"{"saturday":{"start":"23:30","end":"10:00"}}"#
    #expect(try await days(saturday) == saturday)
    let both = #"{"saturday":{"start":"23:30","end":"10:00"},"sunday":{"start":"00:00","end":"00:00"}}"#
    #expect(try await days(#"{"sunday":{"start":"00:00","end":"00:00"}}"#) == both)
    #expect(try await days(#"{"sunday":null,"monday":null}"#) == saturday)
  }

  @Test(arguments: [
    (#"{"someday":null}"#, "quietHours.days.someday is no day: it has monday, tuesday"),
    (#"{"monday":{"start":"10:00"}}"#, "quietHours.days.monday.end is missing."),
    (#"{"monday":{"start":"10:00","end":"25:00"}}"#, "quietHours.days.monday.end must be a time of day, HH:MM."),
    (#"{"monday":7}"#, "quietHours.days.monday must be an object."),
  ])
  func hoursOfNoWeekdayAreRefused(_ days: String, _ reason: String) async throws {
    let scene = try await APIScene()

    let answer = try await scene.patch(APIScene.personal, #"{"quietHours":{"days":\#(days)}}"#)

    #expect(answer.status == 400 && answer.reason?.hasPrefix(reason) == true)
  }
}
