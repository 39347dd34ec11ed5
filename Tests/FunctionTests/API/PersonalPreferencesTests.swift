import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct PersonalPreferencesTests {
  private static let apps = ["feedbackkit", "lockitin", "repairminder", "mugshot", "messageai"]

  @Test func aPersonOfFeedbackKitIsAnsweredAsTheSeedsUser() async throws {
    let scene = try await APIScene()

    let answer = try await scene.patch(
      APIScene.personal,
      """
      {"notifyNewFeedback":false,"notifyNewComments":true,"pushNotificationsEnabled":true,"pushNotifyNewFeedback":true,
       "pushNotifyNewComments":true,"pushNotifyVotes":false,"pushNotifyStatusChanges":true}
      """)

    let created =
      try await scene.connection.query(
        """
        SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS time FROM users
        WHERE id = \(Person.ada.id)::uuid
        """
      ).only()["time"] ?? ""

    #expect(
      answer.response.body == #"{"id":"\#(Person.ada.id)","email":"ada@example.com","name":"Ada","isAdmin":false,"#
        + #""isEmailVerified":true,"createdAt":"\#(created)","#
        + #""notifyNewFeedback":false,"notifyNewComments":true,"pushNotifyNewFeedback":true,"#
        + #""pushNotifyNewComments":true,"pushNotifyVotes":false,"pushNotifyStatusChanges":true,"#
        + #""pushNotificationsEnabled":true,"#
        + #""quietHours":{"enabled":false,"start":"22:00","end":"08:00","days":{},"timezone":null},"language":null,"#
        + #""hourlyLimit":null,"sound":"default","hapticFeedback":true,"criticalAlerts":false,"quietHoursSummary":false,"#
        + #""summaryNotifications":true,"unreadReminders":true,"liveActivities":true,"#
        + #""nextHeldDelivery":null}"#)
    #expect(answer.response.body == (try await scene.read(APIScene.personal)).response.body)
    let row = try await scene.connection.query(
      "SELECT push_notify_votes, updated_at FROM users WHERE id = \(Person.ada.id)::uuid"
    ).only()
    #expect(row["push_notify_votes"] == "f")
    #expect(try row.decode("updated_at") == Demo.now)
  }

  @Test(arguments: apps)
  func everyValueIsSetKeptAndCleared(_ app: String) async throws {
    let scene = try await APIScene()
    let fresh = try await scene.read(APIScene.personal, as: .ben, app: app)
    let usual = app == "lockitin"
    let full = #"""
      "quietHours":{"enabled":true,"start":"23:15","end":"06:05","timezone":"Europe/Berlin"},"hourlyLimit":7,
      "language":"DE_at",
      "sound":"chime.caf","hapticFeedback":false,"criticalAlerts":true,"quietHoursSummary":\#(!usual),
      "summaryNotifications":false,"unreadReminders":false,"liveActivities":false,
      "maxAnalysesPerHour":30,"fallbackStrategy":"notify_all","pushNotificationsEnabled":false
      """#

    let set = try await scene.patch(APIScene.personal, as: .ben, app: app, "{\(full)}")
    let kept = try await scene.patch(APIScene.personal, as: .ben, app: app, #"{"unknown":[1,{"a":null}]}"#)
    let cleared = try await scene.patch(
      APIScene.personal, as: .ben, app: app,
      #"""
      {"quietHours":{"enabled":null,"start":null,"end":null,"timezone":null},"language":null,"hourlyLimit":null,"sound":null,
       "hapticFeedback":null,"criticalAlerts":null,"quietHoursSummary":null,"summaryNotifications":null,
       "unreadReminders":null,"liveActivities":null,
       "maxAnalysesPerHour":null,
       "fallbackStrategy":null,"pushNotificationsEnabled":null}
      """#)

    #expect(
      set["quietHours"] == #"{"enabled":true,"start":"23:15","end":"06:05","days":{},"timezone":"Europe/Berlin"}"#)
    #expect(set["language"] == #""de-AT""#)
    #expect(set["hourlyLimit"] == "7" && set["sound"] == #""chime.caf""# && set["hapticFeedback"] == "false")
    #expect(fresh["quietHoursSummary"] == "\(usual)" && set["quietHoursSummary"] == "\(!usual)")
    #expect(set["criticalAlerts"] == "true" && set["summaryNotifications"] == "false")
    #expect(set["unreadReminders"] == "false" && fresh["unreadReminders"] == "true")
    #expect(set["liveActivities"] == "false" && fresh["liveActivities"] == "true")
    #expect(set["pushNotificationsEnabled"] == "false")
    #expect(set["maxAnalysesPerHour"] == (app == "messageai" ? "30" : nil))
    #expect(set["fallbackStrategy"] == (app == "messageai" ? #""notify_all""# : nil))
    #expect(kept.status == 200 && kept.response.body == set.response.body)
    #expect(cleared.response.body == fresh.response.body)
    for other in Self.apps where other != app {
      #expect(try await scene.read(APIScene.personal, as: .ben, app: other)["hourlyLimit"] == "null")
    }
  }

  /// Arguments: how an app made its own column, and what is kept of `pt-BR`.
  @Test(arguments: [
    ("varchar(2)", "pt"), ("text NOT NULL DEFAULT ''", "pt-BR"), ("varchar(5) NOT NULL DEFAULT ''", "pt-BR"),
  ])
  func anAppsOwnColumnKeepsTheLanguageThatItTakes(column: String, kept: String) async throws {
    let scene = try await APIScene()
    try await scene.connection.script(
      "ALTER TABLE user_notification_preferences DROP language, ADD language \(column)")

    let set = try await scene.patch(APIScene.personal, as: .ben, app: "lockitin", #"{"language":"pt-BR"}"#)
    let cleared = try await scene.patch(APIScene.personal, as: .ben, app: "lockitin", #"{"language":null}"#)

    #expect(set["language"] == "\"\(kept)\"")
    #expect(cleared["language"] == "null")
  }

  /// Arguments: how an app made its own column, what somebody chooses, and what is kept of it.
  @Test(arguments: [
    ("tongue", "pt-BR", "pt"), ("tongue", "zh-TW", "zh_TW"), ("tongue NOT NULL DEFAULT 'en'", "EN", "en"),
    ("tongue", "pt-Latn-BR", "pt"), ("tongue", "zh-TW-pinyin", "zh_TW"),
    (#""own ""own"" tongue""#, "pt-BR", "pt"), ("spoken", "pt", "pt"),
    ("char(2)", "pt-BR", "pt"), ("char(5)", "pt", "pt"), ("char(5)", "pt-BR", "pt-BR"), ("short", "pt-BR", "pt"),
    ("text CHECK (language IN ('en', 'pt-BR'))", "pt-br", "pt-BR"),
  ])
  func aColumnOfAnAppsOwnTypeTakesTheLanguagesThatItHas(column: String, chosen: String, kept: String) async throws {
    let scene = try await APIScene()
    try await scene.ownLanguages(column)

    let set = try await scene.patch(APIScene.personal, as: .ben, app: "lockitin", #"{"language":"\#(chosen)"}"#)

    #expect(set.status == 200)
    #expect(set["language"] == "\"\(kept)\"")
    #expect(try await scene.read(APIScene.personal, as: .ben, app: "lockitin")["language"] == "\"\(kept)\"")
  }

  /// Arguments: how an app made its own column, what somebody chooses in JSON, and what the refusal says.
  @Test(arguments: [
    ("tongue", #""fr""#, "language must be one of en, pt, zh_TW: the app's own column takes no other."),
    ("tongue NOT NULL DEFAULT 'en'", "null", "language must be one of en, pt, zh_TW"),
    ("spoken", #""pt-BR""#, "The app's own table does not take this: "),
    ("text CHECK (language IN ('en', 'pt-BR'))", #""pt""#, "The app's own table does not take this: "),
    ("integer", #""de""#, "The app's own table does not take this: "),
    ("varchar(2)", #""kok""#, "The app's own table does not take this: "),
    ("char(2)", #""kok""#, "The app's own table does not take this: "),
    ("short", #""kok""#, "The app's own table does not take this: "),
  ])
  func anotherLanguageIsRefusedAndNothingChanges(column: String, chosen: String, reason: String) async throws {
    let scene = try await APIScene()
    try await scene.ownLanguages(column)
    let before = try await scene.stored()

    let refused = try await scene.patch(
      APIScene.personal, as: .ben, app: "lockitin", #"{"hourlyLimit":3,"language":\#(chosen)}"#)

    #expect(refused.status == 400)
    #expect(refused.reason?.hasPrefix(reason) == true)
    #expect(try await scene.stored() == before)
  }

  /// A check, a type or a rule of an app's own table about what is not the language.
  @Test(arguments: [
    ("ADD CHECK (timezone LIKE 'Europe/%')", #"{"quietHours":{"timezone":"Asia/Tokyo"}}"#),
    ("ALTER timezone TYPE varchar(10)", #"{"quietHours":{"timezone":"Europe/Berlin"}}"#),
    ("ALTER timezone SET DEFAULT 'UTC', ALTER timezone SET NOT NULL", #"{"quietHours":{"timezone":null}}"#),
    (
      "DROP quiet_hours_days, ADD quiet_hours_days integer",
      #"{"quietHours":{"days":{"monday":{"start":"10:00","end":"12:00"}}}}"#
    ),
  ])
  func whatAnAppsOwnTableDoesNotTakeIsRefused(change: String, body: String) async throws {
    let scene = try await APIScene()
    try await scene.connection.script(
      "DELETE FROM user_notification_preferences; ALTER TABLE user_notification_preferences \(change)")
    let before = try await scene.stored()

    let refused = try await scene.patch(APIScene.personal, as: .ben, app: "lockitin", body)

    #expect(refused.status == 400)
    #expect(refused.reason?.hasPrefix("The app's own table does not take this: ") == true)
    #expect(try await scene.stored() == before)
  }

  /// A table that is not the app's own, which the call or a trigger writes: the fault is not the person's.
  ///
  /// Arguments: an app, what is wrong, and a body.
  @Test(arguments: [
    ("messageai", "ALTER TABLE notification_settings ADD CHECK (hourly_limit < 3) NOT VALID", #"{"hourlyLimit":7}"#),
    ("lockitin", "ALTER TABLE unread_settings ADD CHECK (is_enabled) NOT VALID", #"{"unreadReminders":false}"#),
    (
      "lockitin",
      """
      CREATE TABLE noted (hourly_limit integer CHECK (hourly_limit < 3));
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO noted VALUES (new.hourly_limit); RETURN new; END';
      CREATE TRIGGER note AFTER INSERT OR UPDATE ON user_notification_preferences FOR EACH ROW EXECUTE FUNCTION note()
      """, #"{"hourlyLimit":7}"#
    ),
  ])
  func whatAnotherTableDoesNotTakeIsAFailure(app: String, fault: String, body: String) async throws {
    let scene = try await APIScene()
    try await scene.connection.script(fault)
    let before = try await scene.stored()

    let failed = try await scene.patch(APIScene.personal, as: .ben, app: app, body)

    #expect(failed.status == 500 && failed.reason == "Something went wrong.")
    #expect(try await scene.stored() == before)
  }

  @Test(arguments: apps)
  func everySwitchIsTurnedOffAndOn(_ app: String) async throws {
    let scene = try await APIScene()
    let fresh = try await scene.read(APIScene.personal, as: .ben, app: app)
    let switches = PersonalSwitch.all(of: try #require(App(rawValue: app)))
    func value(_ answer: APIAnswer, _ name: String) -> String? {
      app == "feedbackkit" ? answer[name] : answer["switches", name]
    }
    func body(_ name: String, _ value: String) -> String {
      app == "feedbackkit" ? #"{"\#(name)":\#(value)}"# : #"{"switches":{"\#(name)":\#(value)}}"#
    }

    for preference in switches where preference.canBeSilenced {
      for isOn in ["false", "true"] {
        let answer = try await scene.patch(APIScene.personal, as: .ben, app: app, body(preference.name, isOn))
        #expect(value(answer, preference.name) == isOn, "\(preference.name)")
        if app != "feedbackkit" { #expect(answer["effectivePreferences", "push", preference.name] == isOn) }
      }
    }
    for preference in switches where preference.canBeSilenced {
      _ = try await scene.patch(APIScene.personal, as: .ben, app: app, body(preference.name, "false"))
      _ = try await scene.patch(APIScene.personal, as: .ben, app: app, body(preference.name, "null"))
    }
    #expect(try await scene.read(APIScene.personal, as: .ben, app: app).response.body == fresh.response.body)
  }

  @Test func everyKindHasASwitchOfItsOwnOrASharedOne() {
    for app in App.allCases {
      let kinds = PersonalSwitch.all(of: app).flatMap(\.kinds)
      #expect(Set(kinds.map(\.name)) == Set(Kind.catalogue.filter { $0.app == app }.map(\.name)))
      #expect(kinds.count == Set(kinds.map(\.name)).count)
    }
    #expect(PersonalSwitch.all(of: .repairMinder).count == App.repairMinder.profile.kinds.count)
    #expect(PersonalSwitch.all(of: .mugshot).first?.name == "newVisitFromFriend")
  }

  @Test func switchesThatFollowAnotherOneAreEmptyUntilTheyAreSet() async throws {
    let scene = try await APIScene()
    #expect(try await scene.read(APIScene.personal, app: "lockitin")["switches", "votingDeadline"] == "null")

    let answer = try await scene.patch(
      APIScene.personal, app: "lockitin", #"{"switches":{"proposalNotifications":false,"confirmations":true}}"#)

    #expect(answer["switches", "votingDeadline"] == "null")
    #expect(answer["effectivePreferences", "push", "votingDeadline"] == "false")
    #expect(answer["effectivePreferences", "push", "confirmations"] == "true")
  }

  @Test func conflictAlertsCannotBeSwitchedOff() async throws {
    let scene = try await APIScene()
    let before = try await scene.stored()

    for value in ["false", "null"] {
      let answer = try await scene.patch(
        APIScene.personal, app: "lockitin", #"{"switches":{"voteUpdates":false,"conflictAlerts":\#(value)}}"#)
      #expect(answer.status == 400)
      #expect(answer.reason == "switches.conflictAlerts cannot be switched off.")
    }
    #expect(try await scene.stored() == before)
    let same = try await scene.patch(APIScene.personal, app: "lockitin", #"{"switches":{"conflictAlerts":true}}"#)
    #expect(same.status == 200 && same["switches", "conflictAlerts"] == "true")
  }

  @Test func whatIsHeldSaysWhenItComes() async throws {
    let scene = try await APIScene()
    for (app, hours) in [("lockitin", 3.0), ("lockitin", 2), ("mugshot", 1)] {
      _ = try await scene.connection.query(
        """
        WITH n AS (
          INSERT INTO notifications (user_id, app, type, title, body)
          VALUES (\(Person.ada.id)::uuid, \(app), 'x', 'x', 'x') RETURNING id)
        INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
        SELECT id, \(Person.ada.id)::uuid, \(app), 'quiet_hours', \(Demo.now + hours * 3_600), \(Demo.now) FROM n
        """)
    }

    let answer = try await scene.read(APIScene.personal, app: "lockitin")

    #expect(answer.json["nextHeldDelivery"]?.stringValue == RFC3339.seconds(Demo.now + 7_200))
    #expect(try await scene.read(APIScene.personal, as: .ben, app: "lockitin")["nextHeldDelivery"] == "null")
    #expect(try await scene.read(APIScene.personal)["nextHeldDelivery"] == "null")
  }

  @Test(arguments: ["lockitin", "repairminder"])
  func twoChangesAtOnceAreBothKept(app: String) async throws {
    let scene = try await APIScene()
    let other = try await APIScene.second(scene)
    let names = PersonalSwitch.all(of: try #require(App(rawValue: app))).filter(\.canBeSilenced).map(\.name)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for (index, name) in names.enumerated() {
        let caller = index.isMultiple(of: 2) ? scene : other
        group.addTask {
          try await caller.patch(APIScene.personal, as: .hugo, app: app, #"{"switches":{"\#(name)":false}}"#).status
        }
      }
      for try await status in group { #expect(status == 200) }
    }
    let answer = try await scene.read(APIScene.personal, as: .hugo, app: app)
    for name in names { #expect(answer["switches", name] == "false", "\(name)") }
  }

  @Test func aDryRunAnswersAndChangesNothing() async throws {
    let scene = try await APIScene()
    let before = try await scene.stored()

    let answer = try await scene.patch(APIScene.personal, #"{"pushNotifyVotes":false,"hourlyLimit":3}"#, dryRun: true)

    #expect(answer["pushNotifyVotes"] == "false" && answer["hourlyLimit"] == "3")
    #expect(try await scene.stored() == before)
  }

  @Test func whatIsQuietIsWhatTheGatesRead() async throws {
    let scene = try await APIScene()
    let clock = Demo.now.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400)
    let hour = Int(clock) / 3_600
    func hours(_ start: Int, _ end: Int) -> String {
      func text(_ hour: Int) -> String { "\((hour + 24) % 24 < 10 ? "0" : "")\((hour + 24) % 24):00" }
      return #"{"quietHours":{"enabled":true,"start":"\#(text(start))","end":"\#(text(end))","timezone":"UTC"}}"#
    }

    _ = try await scene.patch(APIScene.personal, as: .grace, hours(hour - 1, hour + 2))
    #expect(try await scene.decision(.statusChanged, .grace).hasPrefix("hold quiet_hours"))
    _ = try await scene.patch(APIScene.personal, as: .grace, hours(hour, hour))
    #expect(try await scene.decision(.statusChanged, .grace).hasPrefix("notify"))
  }
}
