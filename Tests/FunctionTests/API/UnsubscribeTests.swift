import API
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import Signing
import TestSupport
import Testing

@testable import StatusChanged
@testable import Unsubscribe

extension APIScene {
  static let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
  static let project = "b0000000-0000-4000-8000-000000000001"
  static let group = "f0000000-0000-4000-8000-000000000001"
  private static let path = "/api/v1/unsubscribe"

  func unsubscribe(secrets: String? = secret) -> Unsubscribe {
    Unsubscribe(
      tokens: tokens, store: UnsubscribeStore(connection), mutes: MuteStore(connection),
      authenticator: secrets.flatMap(MessageAuthenticator.init))
  }

  func token(_ person: Person, _ scope: Unsubscription.Scope, secret: String = secret) throws -> String {
    let id = UUID(uuidString: person.id) ?? UUID()
    let made = Unsubscription(of: PersonLive.Person(id: id), from: scope, issuedAt: Demo.now)
    guard let message = try made?.message, let authenticator = MessageAuthenticator(secrets: secret) else {
      throw FunctionError(.failed, "no token")
    }
    return authenticator.sign(message)
  }

  /// Calls the link of a token as a browser does, or as a program that wants JSON.
  func follow(
    _ token: String?, _ method: HTTPMethod, form: String? = nil, type: String = "application/x-www-form-urlencoded",
    asJSON: Bool = false, accepting languages: String? = nil, secrets: String? = secret, dryRun: Bool = false
  ) async throws -> APIAnswer {
    var headers = ["accept": asJSON ? "application/json" : "text/html,application/xhtml+xml", "content-type": type]
    headers["accept-language"] = languages
    let request = HTTPRequest(
      rawPath: Self.path, queryStringParameters: token.map { ["token": $0] }, headers: headers,
      requestContext: .init(http: .init(method: method.rawValue)), body: form)
    let envelope = Envelope(id: "call", source: "/http/unsubscribe", type: EventType.call, data: .null)
    let context = Context(function: "unsubscribe", dryRun: dryRun, now: Demo.now, log: Log { _ in })
    return APIAnswer(
      try await unsubscribe(secrets: secrets).handle(Event(envelope: envelope, data: request), context))
  }

  func text(_ query: SQL) async throws -> String? { try await connection.query(query).first?["value"] }

  func isMuted(_ person: Person) async throws -> String? {
    try await text(
      "SELECT push_muted::text AS value FROM project_member_preferences WHERE user_id = \(person.id)::uuid")
  }
}

/// Links of mails, over the function.
@Suite(.heavy)
struct UnsubscribeTests {
  private static let project = Unsubscription.Scope.project(UUID(uuidString: APIScene.project) ?? UUID())
  private static let group = Unsubscription.Scope.group(UUID(uuidString: APIScene.group) ?? UUID())
  private static let off = RawJSON(true)

  @Test func lookingAtALinkChangesNothing() async throws {
    let scene = try await APIScene()
    let token = try scene.token(.grace, Self.project)

    let page = try await scene.follow(token, .get)

    #expect(page.status == 200)
    #expect(page.response.body?.contains("Turn these notifications off?") == true)
    #expect(page.response.body?.contains("<button name=\"turn\" value=\"off\">Turn off</button>") == true)
    #expect(try await scene.follow(token, .get, asJSON: true).json["unsubscribed"] == RawJSON(false))
    #expect(try await scene.isMuted(.grace) == nil)
  }

  @Test(arguments: [
    ("List-Unsubscribe=One-Click", "application/x-www-form-urlencoded"),
    ("turn=off", "application/x-www-form-urlencoded"),
    (
      "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--",
      "multipart/form-data; boundary=b"
    ),
    (nil, "text/plain"), ("{\"turn\":", "application/json"),
  ])
  func aPostSwitchesOff(_ form: String?, _ type: String) async throws {
    let scene = try await APIScene()
    let token = try scene.token(.grace, Self.project)

    for _ in 1...2 {
      let answer = try await scene.follow(token, .post, form: form, type: type, asJSON: true)
      #expect(answer.status == 200)
      #expect(answer.json["unsubscribed"] == Self.off)
      #expect(answer.json["id"]?.stringValue == APIScene.project)
    }

    #expect(try await scene.isMuted(.grace) == "true")
    let page = try await scene.follow(token, .get)
    #expect(page.response.body?.contains("value=\"on\">Turn on again</button>") == true)
  }

  @Test func aReminderOfWhatIsUnreadIsSwitchedOffWithItsLinkAndNothingElse() async throws {
    let scene = try await APIScene()
    let token = try scene.token(.grace, .unread(.feedbackKit))
    let pushes = try await scene.stored()

    let page = try await scene.follow(token, .get)
    let off = try await scene.follow(token, .post, form: "List-Unsubscribe=One-Click", asJSON: true)
    let settings = try await scene.read(APIScene.personal, as: .grace)
    let others = try await scene.read(APIScene.personal, as: .grace, app: "lockitin")
    let on = try await scene.follow(token, .post, form: "turn=on", asJSON: true)

    let sentence = "Reminders of what you have not read in <strong>FeedbackKit</strong> are on"
    #expect(page.response.body?.contains(sentence) == true)
    #expect(off.json["unsubscribed"] == Self.off && on.json["unsubscribed"] == RawJSON(false))
    #expect(off.json["scope"]?.stringValue == "unread" && off.json["id"]?.stringValue == "feedbackkit")
    #expect(settings["unreadReminders"] == "false" && others["unreadReminders"] == "true")
    #expect(try await scene.stored() == pushes)
  }

  @Test func aSubmitterWhoIsNoMemberHearsNoMoreOfTheProject() async throws {
    let scene = try await APIScene()
    _ = try await scene.follow(try scene.token(.grace, Self.project), .post)

    let answer = try await scene.demo.run(StatusChanged(store: scene.demo.store()), on: RowEvent.statusChanged())

    #expect(answer.decisions[.grace] == "suppress project_muted")
    #expect(answer.decisions[.hugo] == "notify voter")
  }

  @Test func itIsTurnedOnAgain() async throws {
    let scene = try await APIScene()
    let token = try scene.token(.grace, Self.project)
    _ = try await scene.follow(token, .post)

    let page = try await scene.follow(token, .post, form: "turn=on")

    #expect(page.response.body?.contains("Turned on again") == true)
    #expect(try await scene.isMuted(.grace) == "false")
  }

  @Test func aGroupIsMutedAndItsOtherSwitchesStay() async throws {
    let scene = try await APIScene()
    _ = try await scene.connection.query(
      """
      INSERT INTO group_notification_preferences (user_id, group_id, notification_level, vote_updates)
      VALUES (\(Person.ben.id)::uuid, \(APIScene.group)::uuid, 'important', false)
      ON CONFLICT (user_id, group_id) DO UPDATE SET notification_level = 'important', vote_updates = false
      """)
    let token = try scene.token(.ben, Self.group)
    let row: SQL = """
      SELECT notification_level || ' ' || vote_updates AS value FROM group_notification_preferences
      WHERE user_id = \(Person.ben.id)::uuid
      """

    _ = try await scene.follow(token, .post, form: "turn=on")
    #expect(try await scene.text(row) == "important false")
    let page = try await scene.follow(token, .post)

    #expect(try await scene.text(row) == "muted false")
    #expect(page.response.body?.contains("You still get alerts about conflicts") == true)
    _ = try await scene.follow(token, .post, form: "turn=on")
    #expect(try await scene.text(row) == "important false")
  }

  @Test(arguments: ["all", "important"])
  func aGroupThatSomebodyMutedThemselvesComesBackAsItWas(level: String) async throws {
    let scene = try await APIScene()
    let row: SQL = """
      SELECT notification_level || coalesce(level_before_mute, '') AS value FROM group_notification_preferences
      WHERE user_id = \(Person.ben.id)::uuid
      """
    for level in [level, "muted", "muted"] {
      _ = try await scene.patch(APIScene.groupPath, as: .ben, #"{"push":{"level":"\#(level)"}}"#)
    }
    #expect(try await scene.text(row) == "muted\(level)")

    _ = try await scene.follow(try scene.token(.ben, Self.group), .post, form: "turn=on")

    #expect(try await scene.text(row) == level)
  }

  @Test(
    arguments: [
      (project, "SELECT updated_at FROM project_member_preferences"),
      (group, "SELECT updated_at FROM group_notification_preferences"),
      (.kind(NewVote.kind), "SELECT updated_at FROM users"),
      (.kind(DeadlineReminder.kind), "SELECT updated_at FROM user_notification_preferences"),
      (.kind(.smartNotification), "SELECT updated_at FROM notification_settings"),
    ] as [(Unsubscription.Scope, SQL)])
  func aLinkSaysWhenItChangedSomething(scope: Unsubscription.Scope, times: SQL) async throws {
    let scene = try await APIScene()
    let token = try scene.token(.eva, scope)

    for form in ["turn=off", "turn=on"] {
      _ = try await scene.connection.query("UPDATE users SET updated_at = NULL")
      _ = try await scene.follow(token, .post, form: form)
      let changed = try await scene.connection.query("SELECT FROM (\(times)) t WHERE t.updated_at = \(Demo.now)")
      #expect(changed.count == 1, "\(scope) \(form)")
    }
  }

  @Test(arguments: Kind.catalogue.filter(\.canBeSilenced).map { "\($0.app.rawValue) \($0.name)" })
  func everyKindHasASwitch(_ kind: String) async throws {
    let scene = try await APIScene()
    let words = kind.split(separator: " ").map(String.init)
    let found = App(rawValue: words[0]).flatMap { Kind.named(words[1], of: $0) }
    let token = try scene.token(.eva, .kind(try #require(found)))

    #expect(try await scene.follow(token, .post, asJSON: true).json["unsubscribed"] == Self.off)
    #expect(try await scene.follow(token, .get, asJSON: true).json["unsubscribed"] == Self.off)
    #expect(try await scene.follow(token, .post, form: "turn=on", asJSON: true).json["unsubscribed"] == RawJSON(false))
    #expect(try await scene.follow(token, .get, asJSON: true).json["unsubscribed"] == RawJSON(false))
  }

  @Test func aPageSaysWhatElseASwitchIsFor() async throws {
    let scene = try await APIScene()
    let kind = try #require(Kind.named("proposal_created", of: .lockItIn))

    let body = try await scene.follow(try scene.token(.eva, .kind(kind)), .get).response.body ?? ""

    #expect(body.contains("of the kind <strong>Proposal created</strong> of LockItIn are on"))
    #expect(body.contains("<p>The same switch is for: Proposal updated.</p>"))
    #expect(
      body.contains("<p>These follow it unless you have set them apart: Proposal reminder and Event confirmed.</p>"))
  }

  @Test func whatWasNotSignedHereLeadsNowhere() async throws {
    let scene = try await APIScene()
    let foreign = try scene.token(.grace, Self.project, secret: String(repeating: "x", count: 32))
    let gone = try scene.token(.grace, .project(UUID()))
    let authenticator = try #require(MessageAuthenticator(secrets: APIScene.secret))
    let conflicts =
      #"{"app":"lockitin","id":"conflict_alert","issuedAt":1,"scope":"kind","user":"\#(Person.eva.id)"}"#
    let huge = #"{"app":"lockitin","id":"x","issuedAt":1e300,"scope":"kind","user":"\#(Person.eva.id)"}"#
    let late =
      #"{"app":"lockitin","id":"\#(UUID())","issuedAt":9223372036854775807,"scope":"group","user":"\#(Person.eva.id)"}"#
    let signed = [conflicts, huge, late, "", "{}", "null", "[1]"].map { authenticator.sign(Array($0.utf8)) }
    let long = String(repeating: "a", count: 100_000)

    for token in signed + [foreign, gone, "", "a.b", "7", "true", "\u{0}", long, "'; DROP TABLE users; --"] {
      for method in [HTTPMethod.get, .post] {
        let page = try await scene.follow(token, method)
        #expect(page.status == 404, "\(token.prefix(40))")
        #expect(page.response.body?.contains("This link does not work") == true)
        #expect(try await scene.follow(token, method, asJSON: true).reason == "Not Found")
      }
    }
    #expect(try await scene.follow(nil, .post).status == 404)
    #expect(try await scene.isMuted(.grace) == nil)
  }

  @Test func aBodyThatIsTooLargeIsRefused() async throws {
    let scene = try await APIScene()
    let form = String(repeating: "x", count: APIRequest.largestBody + 1)

    #expect(try await scene.follow(try scene.token(.grace, Self.project), .post, form: form).status == 413)
    #expect(try await scene.isMuted(.grace) == nil)
  }

  @Test func withoutASecretNoLinkIsGood() async throws {
    let scene = try await APIScene()
    let token = try scene.token(.grace, Self.project)

    #expect(try await scene.follow(token, .post, secrets: nil).status == 503)
    #expect(try await scene.follow(token, .post, asJSON: true, secrets: nil).status == 503)
    #expect(try await scene.isMuted(.grace) == nil)
  }

  @Test func aSecretThatIsTooWeakIsSaidAtTheStart() throws {
    let environment = FunctionKit.Environment(["DATABASE_URL": "postgres://x", "UNSUBSCRIBE_SECRET": "short"])

    let error = #expect(throws: FunctionError.self) { try Unsubscribe.live(environment) }

    #expect(error?.code == .misconfigured)
    #expect(error?.message.hasPrefix("UNSUBSCRIBE_SECRET") == true)
  }

  @Test func aDryRunChangesNothing() async throws {
    let scene = try await APIScene()

    let answer = try await scene.follow(try scene.token(.grace, Self.project), .post, asJSON: true, dryRun: true)

    #expect(answer.json["unsubscribed"] == Self.off)
    #expect(try await scene.isMuted(.grace) == nil)
  }

  @Test func aNameIsTextOnThePage() async throws {
    let scene = try await APIScene()
    let name = "<script>alert(1)</script> & \"Co\" 'x' \u{600}<meta \u{600}> <\u{301}i"
    _ = try await scene.connection.query("UPDATE projects SET name = \(name) WHERE id = \(APIScene.project)::uuid")

    let page = try await scene.follow(try scene.token(.grace, Self.project), .get)

    let body = page.response.body ?? ""
    #expect(!body.contains("<script"))
    #expect(
      !body.unicodeScalars.split(separator: "\u{600}").dropFirst().contains { $0.first == "<" || $0.first == ">" })
    #expect(!body.utf8.contains("<\u{301}".utf8))
    #expect(body.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Co&quot; &#39;x&#39;"))
    #expect(
      page.response.headers?["Content-Security-Policy"]?.hasPrefix("default-src 'none'; style-src 'sha256-") == true)
    #expect(page.response.headers?["Cache-Control"] == "no-store")
    #expect(!body.contains("http:") && !body.contains("https:") && !body.contains("src="))
  }

  @Test func aPageMutesAProjectForAWhileAndEndsTheMute() async throws {
    let scene = try await APIScene()
    _ = try await scene.connection.query(
      """
      INSERT INTO notification_settings (user_id, app, timezone) VALUES (\(Person.grace.id)::uuid, 'feedbackkit', 'Asia/Tokyo')
      """)
    let token = try scene.token(.grace, Self.project)
    let page = try await scene.follow(token, .get).response.body ?? ""

    let hour = try await scene.follow(token, .post, form: "turn=hour", asJSON: true)
    // It is Monday, September 21, 2026, 14:13 UTC: 23:13 in Tokyo.
    let muted = try await scene.follow(token, .post, form: "turn=monday")
    let ended = try await scene.follow(token, .post, form: "turn=unmute", asJSON: true)
    _ = try await scene.follow(token, .post, form: "turn=tomorrow")
    let on = try await scene.follow(token, .post, form: "turn=on", asJSON: true)

    for value in ["off", "hour", "tomorrow", "monday"] { #expect(page.contains("value=\"\(value)\"")) }
    #expect(hour.json["unsubscribed"] == RawJSON(false))
    #expect(hour.json["mutedUntil"]?.stringValue == RFC3339.seconds(Demo.now + 3_600))
    #expect(
      muted.response.body?.contains("wait until <bdi>Monday, September 28 at 8:00 AM (Asia/Tokyo)</bdi>.") == true)
    #expect(muted.response.body?.contains("value=\"unmute\">End the mute now</button>") == true)
    #expect(ended.json["mutedUntil"] == .null && ended.json["unsubscribed"] == RawJSON(false))
    #expect(on.json["mutedUntil"] == .null && on.json["unsubscribed"] == RawJSON(false))
    #expect(try await scene.demo.number("SELECT count(*) FROM notification_mutes") == 0)
    #expect(try await scene.isMuted(.grace) == nil)
  }

  @Test(arguments: [.kind(NewVote.kind), .unread(.feedbackKit)] as [Unsubscription.Scope])
  func aPageOfAKindOrOfMailsMutesTheAppAndEndsTheMute(scope: Unsubscription.Scope) async throws {
    let scene = try await APIScene()
    let token = try scene.token(.grace, scope)
    let mute: SQL = "SELECT string_agg(scope || ' ' || target, ',') AS value FROM notification_mutes"
    let page = try await scene.follow(token, .get).response.body ?? ""

    let muted = try await scene.follow(token, .post, form: "turn=hour").response.body ?? ""
    let row = try await scene.text(mute)
    let looked = try await scene.follow(token, .get, asJSON: true)
    let ended = try await scene.follow(token, .post, form: "turn=unmute")
    let over = try await scene.follow(token, .post, form: "turn=unmute", asJSON: true)

    #expect(page.contains("<button name=\"turn\" value=\"hour\">Mute for an hour</button>"))
    #expect(page.contains("value=\"tomorrow\">Mute until tomorrow 8:00 AM</button>"))
    #expect(page.contains("value=\"monday\">Mute until Monday 8:00 AM</button>"))
    #expect(page.contains("<p>What is muted waits until the mute ends, except urgent notifications.</p>"))
    #expect(row == "app feedbackkit")
    #expect(muted.contains("<h1>Muted for a while</h1>") && muted.contains(" wait until <bdi>"))
    // The page says what its button turns off, which is less than the app.
    #expect(muted.contains(" are on. If you turn them off, ") && muted.contains("value=\"off\">Turn off</button>"))
    #expect(muted.contains("value=\"unmute\">End the mute now</button>") && !muted.contains("value=\"hour\""))
    #expect(looked.json["mutedUntil"]?.stringValue == RFC3339.seconds(Demo.now + 3_600))
    #expect(looked.json["unsubscribed"] == RawJSON(false))
    #expect(ended.response.body?.contains("<h1>Turned on again</h1>") == true)
    #expect(over.json["mutedUntil"] == .null && over.json["unsubscribed"] == RawJSON(false))
    #expect(try await scene.text(mute) == nil)
  }

  @Test func aSwitchOfLessThanTheAppLeavesTheMuteOfTheApp() async throws {
    let scene = try await APIScene()
    let token = try scene.token(.grace, .kind(NewVote.kind))
    let end = RFC3339.seconds(Demo.now + 3_600)
    try await scene.mute(#"{"scope":"app","app":"mugshot","minutes":90}"#, as: .grace)
    try await scene.mute(#"{"scope":"person","minutes":90}"#, as: .grace)
    try await scene.mute(#"{"scope":"app","app":"feedbackkit","minutes":60}"#, as: .grace)

    let off = try await scene.follow(token, .post, form: "List-Unsubscribe=One-Click", asJSON: true)
    let page = try await scene.follow(token, .get).response.body ?? ""
    let on = try await scene.follow(token, .post, form: "turn=on", asJSON: true)
    let project = try await scene.follow(
      try scene.token(.grace, Self.project), .post, form: "turn=unmute", asJSON: true)

    #expect(off.json["unsubscribed"] == Self.off && off.json["mutedUntil"]?.stringValue == end)
    #expect(page.contains("value=\"on\"") && !page.contains("value=\"hour\"") && !page.contains("value=\"unmute\""))
    #expect(on.json["unsubscribed"] == RawJSON(false) && on.json["mutedUntil"]?.stringValue == end)
    #expect(project.json["mutedUntil"] == .null)
    #expect(try await scene.demo.number("SELECT count(*) FROM notification_mutes") == 3)
    _ = try await scene.follow(token, .post, form: "turn=unmute")
    #expect(try await scene.demo.number("SELECT count(*) FROM notification_mutes") == 2)
  }

  @Test func aDryRunNeitherMutesNorEndsAMute() async throws {
    let scene = try await APIScene()
    let token = try scene.token(.grace, .kind(NewVote.kind))

    let muted = try await scene.follow(token, .post, form: "turn=hour", asJSON: true, dryRun: true)
    #expect(muted.json["mutedUntil"]?.stringValue == RFC3339.seconds(Demo.now + 3_600))
    #expect(try await scene.demo.number("SELECT count(*) FROM notification_mutes") == 0)

    _ = try await scene.follow(token, .post, form: "turn=hour")
    let ended = try await scene.follow(token, .post, form: "turn=unmute", asJSON: true, dryRun: true)
    #expect(ended.json["mutedUntil"] == .null)
    #expect(try await scene.demo.number("SELECT count(*) FROM notification_mutes") == 1)
  }
}
