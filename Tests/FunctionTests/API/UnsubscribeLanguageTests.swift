import API
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

/// The page behind the links of mails speaks the language of who reads it.
@Suite(.heavy)
struct UnsubscribeLanguageTests {
  private static let project = Unsubscription.Scope.project(UUID(uuidString: APIScene.project) ?? UUID())

  private func page(
    of scope: Unsubscription.Scope = project, in scene: APIScene, for person: Person = .grace, form: String? = nil,
    accepting languages: String? = nil
  ) async throws -> String {
    let answer = try await scene.follow(
      try scene.token(person, scope), form == nil ? .get : .post, form: form, accepting: languages)
    #expect(answer.status == 200)
    return answer.response.body ?? ""
  }

  private func setLanguage(_ tag: String, of person: Person = .grace, _ app: App = .feedbackKit, in scene: APIScene)
    async throws
  {
    let (table, columns, values): (SQL, SQL, SQL) =
      app == .lockItIn
      ? ("user_notification_preferences", "user_id", "\(person.id)::uuid")
      : ("notification_settings", "user_id, app", "\(person.id)::uuid, \(app.rawValue)")
    _ = try await scene.connection.query(
      """
      INSERT INTO \(table) (\(columns), language) VALUES (\(values), \(tag))
      ON CONFLICT (\(columns)) DO UPDATE SET language = excluded.language
      """)
  }

  @Test func itIsTheirsThenTheDevicesThenTheBrowsersThenEnglish() async throws {
    let scene = try await APIScene()
    _ = try await scene.connection.query("UPDATE device_tokens SET locale = NULL")

    #expect(try await page(in: scene).contains("<html lang=\"en\" dir=\"ltr\">"))
    #expect(try await page(in: scene, accepting: "nl, es;q=0.8, ja;q=0.2").contains("<html lang=\"es\" dir=\"ltr\">"))
    _ = try await scene.connection.query(
      """
      INSERT INTO device_tokens (user_id, token, app, platform, locale, registered_at)
      VALUES (\(Person.grace.id)::uuid, 'old', 'feedbackkit', 'iOS', 'pt-BR', '2026-01-01'),
        (\(Person.grace.id)::uuid, 'new', 'feedbackkit', 'iOS', 'ja-JP', '2036-01-02'),
        (\(Person.grace.id)::uuid, 'other', 'mugshot', 'iOS', 'fr-FR', '2036-01-03')
      """)
    #expect(try await page(in: scene, accepting: "es").contains("<html lang=\"ja-JP\" dir=\"ltr\">"))
    try await setLanguage("de-AT", in: scene)
    let german = try await page(in: scene, accepting: "es")

    #expect(german.contains("<html lang=\"de-AT\" dir=\"ltr\">"))
    #expect(german.contains("<h1>Diese Mitteilungen ausschalten?</h1>"))
    #expect(german.contains("des Projekts <strong><bdi>"))
  }

  @Test func everyStateIsInArabicFromRightToLeft() async throws {
    let scene = try await APIScene()
    try await setLanguage("ar", in: scene)

    let pages = [
      (try await page(in: scene), "هل تريد إيقاف هذه الإشعارات؟"),
      (try await page(in: scene, form: "turn=off"), "تم الإيقاف"),
      (try await page(in: scene), "هذه الإشعارات متوقفة"),
      (try await page(in: scene, form: "turn=on"), "تم التفعيل مجددًا"),
      (try await page(in: scene, form: "turn=monday"), "صامتة لبعض الوقت"),
    ]

    for (page, title) in pages {
      #expect(page.contains("<html lang=\"ar\" dir=\"rtl\">") && page.contains("<h1>\(title)</h1>"))
      #expect(page.contains("<strong><bdi>"))
      #expect(!page.contains("{name}"))
    }
    #expect(pages[0].0.contains("<button name=\"turn\" value=\"monday\">كتم حتى الاثنين الساعة ٨:٠٠ ص</button>"))
    #expect(pages[4].0.contains("حتى <bdi>الاثنين، ٢٨ سبتمبر"))
  }

  /// Texts that are worded by hand in English are worded by CLDR's data elsewhere.
  @Test(arguments: [
    ("de", "Bis Montag um 08:00 stummschalten", "warten bis <bdi>Montag, 28. September um 08:00 (UTC)</bdi>."),
    ("en-GB", "Mute until Monday 08:00", "wait until <bdi>Monday, 28 September at 08:00 (UTC)</bdi>."),
    ("ja", "月曜日の8:00までミュートする", "<bdi>9月28日月曜日 8:00 (UTC)</bdi>"),
  ])
  func timesFollowTheLanguage(tag: String, button: String, sentence: String) async throws {
    let scene = try await APIScene()
    try await setLanguage(tag, in: scene)
    _ = try await scene.connection.query(
      "UPDATE notification_settings SET timezone = 'UTC' WHERE user_id = \(Person.grace.id)::uuid")

    #expect(try await page(in: scene).contains(">\(button)</button>"))
    #expect(try await page(in: scene, form: "turn=monday").contains(sentence))
  }

  @Test func kindsHaveTheirTitles() async throws {
    let scene = try await APIScene()
    try await setLanguage("de", of: .eva, .lockItIn, in: scene)
    let kind = try #require(Kind.named("proposal_created", of: .lockItIn))

    let body = try await page(of: .kind(kind), in: scene, for: .eva)

    #expect(body.contains("der Art <strong>Neuer Vorschlag</strong> von LockItIn sind an"))
    #expect(body.contains("<p>Derselbe Schalter gilt für: Geänderter Vorschlag.</p>"))
    #expect(body.contains(": Erinnerung an eine Abstimmung und Bestätigter Termin.</p>"))
    #expect(body.contains("<p>Eine Gruppe, für die du etwas anderes gewählt hast, behält deine Wahl.</p>"))
  }

  @Test func aMuteOfAnAppIsInArabicFromRightToLeft() async throws {
    let scene = try await APIScene()
    try await setLanguage("ar", of: .eva, .lockItIn, in: scene)
    let kind = try #require(Kind.named("proposal_created", of: .lockItIn))

    let on = try await page(of: .kind(kind), in: scene, for: .eva)
    let muted = try await page(of: .kind(kind), in: scene, for: .eva, form: "turn=monday")

    // The app's name does not turn the words around it.
    #expect(on.contains("value=\"app\" checked><span>كل إشعارات \u{2068}LockItIn\u{2069}</span></label>"))
    #expect(on.contains("value=\"person\"><span>كل التطبيقات</span></label>"))
    #expect(on.contains("value=\"monday\">كتم حتى الاثنين الساعة ٨:٠٠ ص</button>"))
    #expect(on.contains("<p>ما تكتمه يؤجَّل حتى انتهاء الكتم، ما عدا الإشعارات العاجلة.</p>"))
    #expect(muted.contains("<html lang=\"ar\" dir=\"rtl\">") && muted.contains("<h1>صامتة لبعض الوقت</h1>"))
    #expect(muted.contains("<p>إشعارات LockItIn مؤجلة حتى <bdi>") && muted.contains("</bdi>، ما عدا العاجلة.</p>"))
    #expect(muted.contains("value=\"unmute\">إنهاء الكتم الآن</button>"))
  }

  @Test func errorsAreInTheLanguageOfTheBrowser() async throws {
    let scene = try await APIScene()
    try await setLanguage("ja", in: scene)

    let unknown = try await scene.follow("x", .get, accepting: "fr-CA, en;q=0.5")
    let closed = try await scene.follow(try scene.token(.grace, Self.project), .get, accepting: "ar", secrets: nil)
    let gone = try await scene.follow(try scene.token(.grace, .project(UUID())), .get, accepting: "fr")

    #expect(unknown.status == 404 && unknown.response.body?.contains("<h1>Ce lien ne fonctionne pas</h1>") == true)
    #expect(unknown.response.body?.contains("<html lang=\"fr-CA\" dir=\"ltr\">") == true)
    #expect(closed.status == 503 && closed.response.body?.contains("<html lang=\"ar\" dir=\"rtl\">") == true)
    #expect(closed.response.body?.contains("<h1>يُرجى المحاولة لاحقًا</h1>") == true)
    // Who the link is for is known.
    #expect(gone.status == 404 && gone.response.body?.contains("<h1>このリンクは使えません</h1>") == true)
  }

  @Test(arguments: [
    "", ",", ";q=1", "*", "de;q=nan", "de;q=-1", "de;q=1e999999", "\"><script>", "de\"><script>", "de;q=0.5;q=<script>",
    "../../../etc/passwd", "\u{0}", "\u{202E}ed", String(repeating: "x,", count: 100_000),
    String(repeating: "de-", count: 100_000), "de-\(String(repeating: "x", count: 100_000))",
  ])
  func aHostileHeaderFieldIsHarmless(languages: String) async throws {
    let scene = try await APIScene()
    _ = try await scene.connection.query("UPDATE device_tokens SET locale = NULL")

    for answer in [
      try await scene.follow("x", .get, accepting: languages),
      try await scene.follow(try scene.token(.grace, Self.project), .get, accepting: languages),
    ] {
      let body = answer.response.body ?? ""
      #expect([200, 404].contains(answer.status))
      #expect(body.contains("<html lang=\"en\" dir=\"ltr\">") || body.contains("<html lang=\"de\" dir=\"ltr\">"))
      #expect(!body.contains("<script"))
    }
  }

  @Test func aStoredLanguageThatIsNoneIsEnglish() async throws {
    let scene = try await APIScene()
    try await setLanguage("x\"><b>", in: scene)

    #expect(try await page(in: scene, accepting: "de").contains("<html lang=\"en\" dir=\"ltr\">"))
  }
}
