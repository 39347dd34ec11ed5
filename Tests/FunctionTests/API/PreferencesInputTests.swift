import API
import FoundationEssentials
import FunctionKit
import TestSupport
import Testing

@testable import Preferences

@Suite(.heavy)
struct PreferencesInputTests {
  private static let wrongBooleans = ["1", "\"true\"", "[]", "{}", "\"\\u0000\""]
  private static let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)

  /// A body and what the refusal says, for a path and an app.
  private typealias Refusal = (path: String, app: String?, body: String, reason: String)

  private static let table: [Refusal] = some + numbers + times + zones + booleans

  private static let some: [Refusal] = [
    (APIScene.personal, nil, #"{"quiet_hours":{}}"#, "quiet_hours must be written quietHours."),
    (APIScene.personal, nil, #"{"hourly_limit":5}"#, "hourly_limit must be written hourlyLimit."),
    (APIScene.projectPath, nil, #"{"push":{"new_feedback":true}}"#, "push.new_feedback must be written newFeedback."),
    (APIScene.personal, nil, "[]", "The body must be an object."), (APIScene.personal, nil, "{", "not valid JSON"),
    (APIScene.personal, nil, deep, "not valid JSON"),
    (APIScene.personal, "nowhere", "{}", "app must be one of feedbackkit, lockitin"),
    (APIScene.personal, nil, #"{"hourlyLimit":1,"hourlyLimit":2}"#, "hourlyLimit is given twice."),
    (APIScene.personal, nil, #"{"language":"deutschland"}"#, "language must be the tag of a language"),
    (APIScene.personal, "lockitin", #"{"language":""}"#, "language must be the tag of a language"),
    (APIScene.personal, nil, #"{"pushNotifyVotes":false,"sound":7}"#, "sound must be a text of 1 to 50 characters."),
    (APIScene.personal, nil, #"{"sound":"a\u0000b"}"#, "sound must be a text"),
    (APIScene.personal, "mugshot", #"{"sound":""}"#, "sound must be a text"),
    (APIScene.personal, "lockitin", #"{"sound":"\#(String(repeating: "x", count: 51))"}"#, "sound must be a text"),
    (APIScene.personal, "mugshot", #"{"switches":{"like":"no"}}"#, "switches.like must be true or false."),
    (APIScene.personal, "mugshot", #"{"switches":[]}"#, "switches must be an object."),
    (APIScene.personal, "mugshot", #"{"switches":{"like":true,"like":false}}"#, "switches.like is given twice."),
    (APIScene.personal, "messageai", #"{"fallbackStrategy":"guess"}"#, "fallbackStrategy must be one of simple_rules"),
    (APIScene.personal, "mugshot", #"{"fallbackStrategy":"guess"}"#, "fallbackStrategy must be one of simple_rules"),
    (APIScene.personal, nil, #"{"switches":{"like":"no"}}"#, "switches.like must be true or false."),
    (APIScene.personal, "lockitin", #"{"pushNotifyVotes":0}"#, "pushNotifyVotes must be true or false."),
    (APIScene.personal, "mugshot", #"{"switches":{"conflictAlerts":false}}"#, "conflictAlerts cannot be switched off"),
    (APIScene.projectPath, nil, #"{"push":null}"#, "push must be an object."),
    (APIScene.projectPath, nil, #"{"push":{"votes":"yes"}}"#, "push.votes must be true or false."),
    (APIScene.projectPath, nil, #"{"push":{"muted":0}}"#, "push.muted must be true or false."),
    (APIScene.projectPath, nil, #"{"email":{"newComments":0}}"#, "email.newComments must be true or false."),
    (APIScene.projectPath, nil, #"{"push":{"muted":true},"email":[]}"#, "email must be an object."),
    (APIScene.groupPath, nil, #"{"push":{"level":"loud"}}"#, "push.level must be one of all, important, muted."),
    (APIScene.groupPath, nil, #"{"push":{"level":0}}"#, "push.level must be one of"),
    (APIScene.groupPath, nil, #"{"push":{"voteCast":5,"level":"muted"}}"#, "push.voteCast must be true or false."),
    (APIScene.proposal, nil, #"{"voteCast":"yes"}"#, "voteCast must be true or false."),
  ]

  private static let numbers: [Refusal] = ["0", "-1", "1001", "1.5", "1e4", "\"5\"", "99999999999999999999", "true"]
    .flatMap { number -> [Refusal] in
      [
        (APIScene.personal, nil, #"{"hourlyLimit":\#(number)}"#, "hourlyLimit must be a whole number from 1 to 1000."),
        (APIScene.personal, "messageai", #"{"maxAnalysesPerHour":\#(number)}"#, "maxAnalysesPerHour must be a whole"),
      ]
    }

  private static let times: [Refusal] = ["24:00", "8:00", "08:60", "08:00:00", "", "noon", "+1:00", "０8:00"].flatMap {
    time -> [Refusal] in
    ["start", "end"].map { edge in
      (APIScene.personal, "lockitin", #"{"quietHours":{"\#(edge)":"\#(time)"}}"#, "quietHours.\(edge) must be a time")
    }
  }

  private static let zones: [Refusal] = [
    "Mars/Base", "", "../../etc/passwd", "europe/berlin", "UTC\\u0000", "GMT+2:30",
  ].map { zone -> Refusal in
    (APIScene.personal, nil, #"{"quietHours":{"timezone":"\#(zone)"}}"#, "quietHours.timezone must be an IANA")
  }

  private static let booleans: [Refusal] = wrongBooleans.flatMap { value -> [Refusal] in
    [
      "notifyNewFeedback", "notifyNewComments", "pushNotificationsEnabled", "pushNotifyNewFeedback",
      "pushNotifyNewComments", "pushNotifyVotes", "pushNotifyStatusChanges", "hapticFeedback", "criticalAlerts",
      "quietHoursSummary", "summaryNotifications", "unreadReminders", "liveActivities",
    ].map { (APIScene.personal, nil, #"{"\#($0)":\#(value)}"#, "\($0) must be true or false.") }
  }

  @Test func whatIsWrongIsNamedAndNothingChanges() async throws {
    let scene = try await APIScene()
    let before = try await scene.stored()

    for (path, app, body, reason) in Self.table {
      let answer = try await scene.patch(path, app: app, body)
      #expect(answer.status == 400, "\(body)")
      #expect(answer.reason?.contains(reason) == true, "\(body): \(answer.reason ?? "")")
    }
    for path in [APIScene.personal, APIScene.projectPath, APIScene.groupPath, APIScene.proposal] {
      #expect(try await scene.call(scene.preferences, .patch, path, nil).reason == "The body is missing.")
      #expect(try await scene.call(scene.preferences, .patch, path, as: nil, "{}").status == 401)
    }
    #expect(try await scene.stored() == before)
  }

  @Test func anEmptyChangeChangesNothing() async throws {
    let scene = try await APIScene()
    let before = try await scene.stored()

    for path in [APIScene.personal, APIScene.projectPath, APIScene.groupPath, APIScene.proposal] {
      for body in ["{}", #"{"push":{},"email":{},"switches":{},"quietHours":{},"x":{"y":[null]}}"#] {
        #expect(try await scene.patch(path, body).status == 200)
      }
    }
    #expect(try await scene.stored() == before)
  }

  @Test(arguments: ["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires", "Asia/Kathmandu"])
  func zonesThatTheGatesKnowAreTaken(_ zone: String) async throws {
    let scene = try await APIScene()

    let answer = try await scene.patch(APIScene.personal, #"{"quietHours":{"timezone":"\#(zone)"}}"#)

    #expect(answer["quietHours", "timezone"] == "\"\(zone)\"")
  }
}
