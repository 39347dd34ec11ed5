import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

/// A device that can be reached again, or is new, comes to show its person's badge, although nothing else is pushed.
@Suite(.heavy)
struct ReachedDeviceTests {
  @Test(arguments: App.allCases) func everyWayBackEndsAtTheBadge(app: App) async throws {
    let phone = try await Phone(app)
    #expect(try await phone.shows() == phone.badge())
    for way in Way.all {
      if let off = way.off { try await off(phone) }
      try await phone.shown.rest()
      let before = phone.shows()
      try await phone.raiseBadge()
      try await phone.shown.rest()
      #expect(phone.shows() == before, "\(way.name): nobody was told")

      try await way.on(phone)
      try await phone.shown.rest()

      #expect(try await phone.shows() == phone.badge(), "\(way.name)")
    }
  }

  /// Quiet hours are no way off: a badge is silent, and comes at once.
  @Test(arguments: App.allCases) func quietHoursHoldNoBadge(app: App) async throws {
    let phone = try await Phone(app)
    let table = app.profile.preferences.table
    let columns = app.profile.preferences.isShared ? "user_id, app" : "user_id"
    try await phone.run(
      """
      INSERT INTO \(table) (\(columns), quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES (PERSON\(app.profile.preferences.isShared ? ", APP" : ""), true, '00:00', '23:59')
      ON CONFLICT (\(columns)) DO UPDATE SET quiet_hours_enabled = true, quiet_hours_start = '00:00', quiet_hours_end = '23:59'
      """)
    try await phone.raiseBadge()

    try await phone.run("INSERT INTO badge_losses (user_id, app) VALUES (PERSON, APP)")
    try await phone.shown.tellLosses()
    try await phone.shown.send()

    #expect(try await phone.shows() == phone.badge())
  }

  /// The answer to the alert, the pushes of the badge alone that are sent beside it, and those that are not.
  @Test(
    arguments: [
      (nil, 0, 1), (.refused, 1, 0), (.failed, 1, 0), (.lost, 1, 0),
    ] as [(ShownBadges.Answer?, Int, Int)])
  func aNewPhoneGetsTheBadgeAloneOnlyIfNoAlertBringsIt(
    answer: ShownBadges.Answer?, sent: Int, ended: Int
  ) async throws {
    let phone = try await Phone(.feedbackKit)
    try await phone.install()
    try await phone.shown.tellLosses()
    try await phone.shown.alert()
    if var answer {
      answer.device = phone.token
      phone.shown.answer([answer])
    }

    try await phone.shown.send()
    #expect(try await phone.badgePushes("queued") == 1)
    phone.shown.wait(5)
    try await phone.shown.send()

    #expect(try await phone.badgePushes("accepted") == sent)
    #expect(try await phone.badgePushes("expired") == ended)
    try await phone.shown.rest()
    #expect(try await phone.shows() == phone.badge())
  }

  /// The badge is back at the number that the phone has, while a push with another one is under way.
  @Test func aPushThatIsUnderWayMayBringAnotherNumber() async throws {
    let phone = try await Phone(.feedbackKit)
    let entry = try #require(try await phone.shown.scene.fillAdasInbox(1).first)
    try await phone.install()
    try await phone.shown.tellLosses()
    try await phone.shown.alert()
    try await phone.shown.send()
    try await phone.shown.alert()
    let batch = try await phone.shown.claim()
    try await ShownBadgeCourse.read(entry, phone.shown)

    phone.shown.wait(5)
    try await phone.shown.send()
    try await phone.shown.send(batch)
    try await phone.shown.rest()

    #expect(try await phone.shows() == phone.badge())
  }

  /// An app may keep the row of a person who is marked as deleted, and their phone may register again.
  @Test func whoIsGoneGetsNeitherAnAlertNorABadge() async throws {
    let phone = try await Phone(.feedbackKit)
    let accepted = try await phone.pushes("accepted")
    try await phone.shown.alert()
    try await phone.run("INSERT INTO push_gone_people VALUES (PERSON)")

    try await phone.shown.send()
    #expect(try await phone.pushes("rejected") == 1)
    #expect(try await phone.pushes("accepted") == accepted)
    // What was sent to the former device goes with it.
    try await phone.install()
    try await phone.shown.rest()

    for state in ["queued", "accepted", "rejected"] { #expect(try await phone.pushes(state) == 0) }
  }

  @Test(arguments: App.allCases) func aDeviceThatRegistersWithoutAnythingToCountGetsNoPush(app: App) async throws {
    let shown = try await ShownBadges()
    let demo = shown.scene.demo
    try await demo.connection.script(
      """
      DELETE FROM friend_requests; DELETE FROM group_invites; DELETE FROM event_proposals; DELETE FROM badge_losses;
      DELETE FROM device_tokens;
      """)
    let device = DeviceRegistration(token: "e1", app: app, platform: .iOS)
    for _ in 0..<3 {
      let person = PersonLive.Person(id: try #require(UUID(uuidString: Person.ada.id)))
      _ = try await DeviceStore(demo.connection).register(device, for: person, at: shown.now)
      shown.wait(60)
    }

    #expect(try await demo.number("SELECT count(*) FROM badge_losses") == 0)
  }
}

/// A phone of Ada's with one of the apps.
private final class Phone {
  let shown: ShownBadges
  let app: App
  /// Two letters; the phone gets another one with each installation.
  var token = "e1"

  init(_ app: App) async throws {
    (shown, self.app) = (try await ShownBadges(), app)
    try await run("DELETE FROM device_tokens WHERE user_id = PERSON")
    try await raiseBadge()
    try await register()
    try await shown.rest()
  }

  func shows() -> Int? { shown.shown[token] }

  func badge() async throws -> Int { try await shown.badge(of: .ada, app) }

  /// Runs statements about the phone, its person and its app.
  func run(_ script: String) async throws {
    try await shown.scene.demo.connection.script(
      script.replacing("PERSON", with: "'\(Person.ada.id)'").replacing("APP", with: "'\(app.rawValue)'")
        .replacing("TOKEN", with: "repeat('\(token)', 32)").replacing("NOW", with: "'\(shown.now)'"))
  }

  func register() async throws {
    try await run(
      """
      INSERT INTO device_tokens (user_id, token, platform, app, environment, bundle_id, registered_at)
      VALUES (PERSON, TOKEN, 'iOS', APP, 'sandbox', 'com.example', NOW)
      """)
  }

  /// The app is installed anew: the phone has another token.
  func install() async throws {
    try await run("DELETE FROM device_tokens WHERE token = TOKEN")
    token = "e2"
    try await register()
  }

  /// How many pushes to the person are in a state.
  func pushes(_ state: String) async throws -> Int {
    let person = Person.ada.id
    return try await shown.scene.demo.number(
      "SELECT count(*) FROM deliveries WHERE user_id = \(person)::uuid AND state = \(state)")
  }

  /// How many pushes of the badge alone to the phone are in a state.
  func badgePushes(_ state: String) async throws -> Int {
    try await shown.scene.demo.number(
      """
      SELECT count(*) FROM deliveries d JOIN notifications n ON n.id = d.notification_id
      JOIN device_tokens t ON t.id = d.device_token_id
      WHERE n.type = 'badge' AND d.state = \(state) AND t.token = \(String(repeating: token, count: 32))
      """)
  }

  /// Something is there that the badge counts, and no push says so.
  func raiseBadge() async throws {
    try await run(
      app == .lockItIn
        ? "INSERT INTO friend_requests (requester_id, recipient_id) VALUES ('\(Person.ben.id)', PERSON)"
        : """
        INSERT INTO notifications (user_id, app, type, title, origin, function, expires_at)
        VALUES (PERSON, APP, 'x', 'X', 'function', 'x', '2040-01-01')
        """)
  }

  /// Switches all pushes of the app off or on.
  func switchPushes(_ isOn: Bool) async throws {
    let preferences = app.profile.preferences
    if preferences.hasSwitchesInUsers {
      return try await run("UPDATE users SET \(preferences.masterSwitch) = \(isOn) WHERE id = PERSON")
    }
    let key = preferences.isShared ? "user_id, app" : "user_id"
    try await run(
      """
      INSERT INTO \(preferences.table) (\(key), \(preferences.masterSwitch))
      VALUES (PERSON\(preferences.isShared ? ", APP" : ""), \(isOn))
      ON CONFLICT (\(key)) DO UPDATE SET \(preferences.masterSwitch) = excluded.\(preferences.masterSwitch)
      """)
  }

  var store: DeviceStore { DeviceStore(shown.scene.demo.connection(of: "devices")) }

  var registration: DeviceRegistration {
    DeviceRegistration(token: String(repeating: token, count: 32), app: app, platform: .iOS)
  }

  var owner: PersonLive.Person {
    get throws { PersonLive.Person(id: try #require(UUID(uuidString: Person.ada.id))) }
  }
}

/// A way in which a device can no longer be reached, and a way in which it can be reached again.
private struct Way: Sendable {
  let name: String
  /// `nil` if it can be reached all the time, and shows what nobody knows.
  var off: (@Sendable (Phone) async throws -> Void)?
  let on: @Sendable (Phone) async throws -> Void

  static let all = [
    Way(name: "pushes are switched on again") { phone in
      try await phone.switchPushes(false)
    } on: { phone in
      try await phone.switchPushes(true)
    },
    Way(name: "the settings are deleted in which pushes were off") { phone in
      try await phone.switchPushes(false)
    } on: { phone in
      let preferences = phone.app.profile.preferences
      guard !preferences.hasSwitchesInUsers else { return try await phone.switchPushes(true) }
      try await phone.run(
        "DELETE FROM \(preferences.table) WHERE user_id = PERSON" + (preferences.isShared ? " AND app = APP" : ""))
    },
    Way(name: "the app's server switches the device on again") { phone in
      try await phone.run("UPDATE device_tokens SET is_active = false WHERE token = TOKEN")
    } on: { phone in
      try await phone.run("UPDATE device_tokens SET is_active = true WHERE token = TOKEN")
    },
    Way(name: "APNs had ended the token, and the app registers it again") { phone in
      try await phone.run(
        """
        UPDATE device_tokens SET is_active = false, deactivated_at = NOW, deactivated_reason = 'Unregistered'
        WHERE token = TOKEN
        """)
    } on: { phone in
      _ = try await phone.store.register(phone.registration, for: phone.owner, at: phone.shown.now)
    },
    Way(name: "the person had unregistered it, and registers it again") { phone in
      _ = try await phone.store.unregister(
        token: phone.registration.token, app: phone.app, of: phone.owner, at: phone.shown.now)
    } on: { phone in
      _ = try await phone.store.register(phone.registration, for: phone.owner, at: phone.shown.now)
    },
    Way(name: "somebody else had it") { phone in
      try await phone.run("UPDATE device_tokens SET user_id = '\(Person.dan.id)' WHERE token = TOKEN")
    } on: { phone in
      try await phone.run("UPDATE device_tokens SET user_id = PERSON WHERE token = TOKEN")
    },
    Way(name: "its row was deleted") { phone in
      try await phone.run("DELETE FROM device_tokens WHERE token = TOKEN")
    } on: { phone in
      try await phone.register()
    },
    Way(name: "the app is installed anew") { phone in
      try await phone.run("DELETE FROM device_tokens WHERE token = TOKEN")
    } on: { phone in
      phone.token = "e2"
      try await phone.register()
    },
    Way(name: "it gets another token") { phone in
      let old = phone.token
      phone.token = "e3"
      try await phone.run("UPDATE device_tokens SET token = TOKEN WHERE token = repeat('\(old)', 32)")
    },
    Way(name: "the app was opened and has set its own number") { phone in
      phone.shown.show(0, on: phone.token)
      phone.shown.wait(1)
      _ = try await phone.store.register(phone.registration, for: phone.owner, at: phone.shown.now)
    },
  ]
}
