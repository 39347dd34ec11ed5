import API
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import Signing
import TestSupport
import Testing

/// The scopes that the page behind the links of mails can mute: the link's subject, and more.
@Suite(.heavy)
struct UnsubscribeMuteTests {
  private static let project = Unsubscription.Scope.project(UUID(uuidString: APIScene.project) ?? UUID())
  private static let group = Unsubscription.Scope.group(UUID(uuidString: APIScene.group) ?? UUID())
  private static let proposal = UUID(uuidString: Demo.proposal) ?? UUID()
  private static let rows: SQL = """
    SELECT string_agg(u.email || ' ' || m.scope || ' ' || m.target, ', ' ORDER BY u.email, m.scope) AS value
    FROM notification_mutes m JOIN users u ON u.id = m.user_id
    """

  /// A link to Ada about the proposal.
  private func token(_ scope: Unsubscription.Scope, about proposal: UUID? = proposal) throws -> String {
    let ada = PersonLive.Person(id: try #require(UUID(uuidString: Person.ada.id)))
    let made = try #require(Unsubscription(of: ada, from: scope, issuedAt: Demo.now, about: proposal))
    return try #require(MessageAuthenticator(secrets: APIScene.secret)).sign(try made.message)
  }

  /// The choices of a page: `app" checked>All of LockItIn`.
  private func choices(_ page: String) -> [String] {
    page.matches(of: /name="mute" value="(.*)<span>(.*)<\/span>/).map { "\($0.1)\($0.2)" }
  }

  @Test func eachPageOffersWhatTheLinkIsAboutThenTheAppThenEverything() async throws {
    let scene = try await APIScene()
    let kind = try #require(Kind.named("proposal_created", of: .lockItIn))

    let project = try await scene.follow(try scene.token(.grace, Self.project), .get).response.body ?? ""
    let group = try await scene.follow(try token(Self.group), .get).response.body ?? ""
    let ofKind = try await scene.follow(try token(.kind(kind)), .get).response.body ?? ""
    let plain = try await scene.follow(try token(.unread(.lockItIn), about: nil), .get).response.body ?? ""
    let other = try await scene.follow(try token(.unread(.feedbackKit)), .get).response.body ?? ""

    #expect(
      choices(project) == [#"project" checked>This project"#, #"app">All of FeedbackKit"#, #"person">All apps"#])
    #expect(
      choices(group) == [
        #"proposal" checked>This proposal"#, #"group">This group"#, #"app">All of LockItIn"#, #"person">All apps"#,
      ])
    #expect(
      choices(ofKind) == [#"proposal" checked>This proposal"#, #"app">All of LockItIn"#, #"person">All apps"#])
    #expect(choices(plain) == [#"app" checked>All of LockItIn"#, #"person">All apps"#])
    #expect(choices(other) == [#"app" checked>All of FeedbackKit"#, #"person">All apps"#])
    #expect(project.contains("<fieldset>\n<legend>What to mute</legend>\n<label>"))
    // Enter in a choice presses the first button of its form, which may not turn anything off.
    #expect(project.contains("value=\"off\">Turn off</button>\n</form>\n<form method=\"post\">\n<fieldset>"))
  }

  @Test(arguments: [
    ("proposal", "proposal \(Demo.proposal)"), ("group", "group \(Demo.group)"), ("app", "app lockitin"),
    ("person", "person "),
  ])
  func aChoiceMutesThatForThePersonOfTheLinkAndNobodyElse(_ choice: String, _ row: String) async throws {
    let scene = try await APIScene()
    let token = try token(Self.group)

    let muted = try await scene.follow(token, .post, form: "mute=\(choice)&turn=hour").response.body ?? ""
    let made = try await scene.text(Self.rows)
    let looked = try await scene.follow(token, .get, asJSON: true)
    let ended = try await scene.follow(token, .post, form: "turn=unmute&mute=\(choice)").response.body ?? ""

    #expect(made == "ada@example.com \(row)")
    #expect(muted.contains("<h1>Muted for a while</h1>") && muted.contains(" wait until <bdi>"))
    #expect(muted.contains("<input type=\"hidden\" name=\"mute\" value=\"\(choice)\">"))
    #expect(looked.json["mutes"]?.elements?.count == 1 && looked.json["unsubscribed"] == RawJSON(false))
    #expect(looked.json["mutes"]?.elements?.first?["scope"]?.stringValue == choice)
    #expect(looked.json["mutes"]?.elements?.first?["until"]?.stringValue == RFC3339.seconds(Demo.now + 3_600))
    #expect((looked.json["mutedUntil"] == .null) == (choice != "group"))
    #expect(ended.contains("<h1>Turned on again</h1>"))
    #expect(try await scene.text(Self.rows) == nil)
  }

  @Test func onePressEndsTheMutesThatThePageNames() async throws {
    let scene = try await APIScene()
    let token = try scene.token(.grace, Self.project)
    try await scene.mute(#"{"scope":"person","minutes":90}"#, as: .grace)
    try await scene.mute(#"{"scope":"app","app":"mugshot","minutes":90}"#, as: .grace)
    try await scene.mute(#"{"scope":"person","minutes":90}"#, as: .ada)
    _ = try await scene.follow(token, .post, form: "mute=project&turn=monday")

    let page = try await scene.follow(token, .get).response.body ?? ""
    _ = try await scene.follow(token, .post, form: "mute=project.person&turn=unmute")

    #expect(
      page.contains("<p>Push notifications of the project ") && page.contains("name=\"mute\" value=\"project.person\">")
    )
    #expect(page.contains("<p>The notifications of all apps wait until <bdi>"))
    #expect(!page.contains("name=\"mute\" value=\"app"))
    #expect(try await scene.text(Self.rows) == "ada@example.com person , grace@example.com app mugshot")
  }

  @Test func whatALinkIsNotAboutItCannotMute() async throws {
    let scene = try await APIScene()
    let project = try scene.token(.grace, Self.project)

    for form in [
      "mute=proposal&turn=hour", "mute=group&turn=hour", "mute=&turn=hour", "mute=Person&turn=hour",
      "mute=%70erson&turn=hour", "turn=hour&mute=x",
    ] {
      #expect(try await scene.follow(project, .post, form: form, asJSON: true).status == 200)
      #expect(try await scene.text(Self.rows) == nil, "\(form)")
    }
    // A form without the choice, such as that of a page from before, means what the link is about.
    _ = try await scene.follow(project, .post, form: "turn=hour")
    #expect(try await scene.text(Self.rows) == "grace@example.com project \(APIScene.project)")
    // One click unsubscribes, whatever is chosen.
    let one = try await scene.follow(project, .post, form: "List-Unsubscribe=One-Click&mute=person", asJSON: true)
    #expect(one.json["unsubscribed"] == RawJSON(true))
    #expect(try await scene.text(Self.rows) == "grace@example.com project \(APIScene.project)")
  }

  @Test func aProposalOfAGroupThatThePersonHasLeftOrThatIsGoneIsNotOffered() async throws {
    let scene = try await APIScene()
    let token = try token(.unread(.lockItIn))
    let gone = try self.token(.unread(.lockItIn), about: UUID())
    #expect(try await scene.follow(token, .get).response.body?.contains("This proposal") == true)
    _ = try await scene.connection.query("DELETE FROM group_members WHERE user_id = \(Person.ada.id)::uuid")

    for link in [token, gone] {
      let page = try await scene.follow(link, .get).response.body ?? ""
      _ = try await scene.follow(link, .post, form: "mute=proposal&turn=hour")
      #expect(page.contains("value=\"app\" checked>") && !page.contains("This proposal"))
      #expect(try await scene.text(Self.rows) == nil)
    }
  }

  /// Links in mails that were sent before a link could name a proposal.
  @Test func aLinkFromBeforeStillWorks() async throws {
    let scene = try await APIScene()
    let authenticator = try #require(MessageAuthenticator(secrets: APIScene.secret))
    let text = #"{"app":"lockitin","id":"\#(APIScene.group)","issuedAt":1,"scope":"group","user":"\#(Person.ada.id)"}"#
    let wrong = text.replacing("\"scope\"", with: "\"proposal\":\"7\",\"scope\"")

    let page = try await scene.follow(authenticator.sign(Array(text.utf8)), .get)

    #expect(page.status == 200 && page.response.body?.contains("value=\"group\" checked>") == true)
    #expect(try await scene.follow(authenticator.sign(Array(wrong.utf8)), .get).status == 404)
    let made = try #require(Unsubscription(of: .init(id: UUID()), from: Self.group, issuedAt: Demo.now))
    #expect(!String(decoding: try made.message, as: UTF8.self).contains("proposal"))
  }
}
