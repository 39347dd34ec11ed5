import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import Signing
import TestSupport
import Testing

/// Notifications that stay unread go by e-mail to a server that takes mail.
@Suite(.heavy)
struct MailUnreadTests {
  private static let secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

  /// Grace has not read that somebody voted.
  private func scene() async throws -> UnreadScene {
    let scene = try await UnreadScene()
    try await scene.policy.vote(1, at: UnreadScene.noon)
    try await scene.check(at: UnreadScene.due)
    return scene
  }

  /// The row that the function gets.
  private func record(_ scene: UnreadScene) async throws -> String {
    try await scene.connection.query("SELECT to_jsonb(u)::text AS record FROM unread_notifications u").only()
      .decode("record")
  }

  /// Hands the row to the built program.
  /// - Parameters:
  ///   - given: the row as it was; `nil` for the present one.
  ///   - time: when it gets it.
  private func send(
    _ scene: UnreadScene, _ given: String? = nil, to sink: MailSink?, _ variables: [String: String] = [:],
    at time: Date = UnreadScene.due + 60
  ) async throws -> BuiltExecutables.Outcome {
    let record = if let given { given } else { try await record(scene) }
    let environment = [
      "DATABASE_URL": scene.policy.demo.url, "SMTP_URL": sink?.url ?? "",
      "MAIL_FROM": "FeedbackKit <no-reply@example.com>",
      "UNSUBSCRIBE_SECRET": Self.secret, "UNSUBSCRIBE_URL": "https://push.example.com/", Environment.clock: "event",
    ]
    let event = RowEvent.event("INSERT", "unread_notifications", record: record, id: "unread")
    return try await BuiltExecutables.run(
      "mail-unread", stdin: #"{"now":"\#(RFC3339.string(time))",\#(event.drop { $0 == "{" })"#,
      environment: environment.merging(variables) { $1 })
  }

  private func mails(_ sink: MailSink, _ count: Int = 1) async throws -> [RawJSON] {
    try await sink.mails(count).map { try RawJSON(validating: Array($0.utf8)[...]) }
  }

  @Test func aMailSaysItAndCanBeUnsubscribedFromWithOneClick() async throws {
    let (scene, sink) = (try await scene(), try await MailSink())

    let outcome = try await send(scene, to: sink)

    #expect(outcome.exit == 0 && outcome.stdout.contains(#""sent":true"#), "\(outcome.stdout)\(outcome.stderr)")
    let mail = try #require(try await mails(sink).first)
    let fields = try #require(mail["fields"])
    #expect(mail["from"]?.stringValue == "no-reply@example.com")
    #expect(mail["to"]?.elements?.map(\.stringValue) == ["grace@example.com"])
    #expect(fields["From"]?.stringValue == "FeedbackKit <no-reply@example.com>")
    #expect(fields["To"]?.stringValue == "grace@example.com" && fields["Subject"]?.stringValue == "New Vote")
    #expect(fields["Auto-Submitted"]?.stringValue == "auto-generated")
    #expect(fields["List-Unsubscribe-Post"]?.stringValue == "List-Unsubscribe=One-Click")
    #expect(fields["Date"]?.stringValue == "Mon, 15 Jun 2026 12:30:00 +0000")
    let plain = mail["plain"]?.stringValue ?? ""
    #expect(plain.contains("Dark mode now has 3 votes") && plain.contains("You have not read this in FeedbackKit yet."))
    #expect(mail["defects"] == RawJSON(array: []))
    let link = fields["List-Unsubscribe"]?.stringValue ?? ""
    let start = "<https://push.example.com/api/v1/unsubscribe?token="
    #expect(link.hasPrefix(start) && link.hasSuffix(">") && plain.contains(link.dropFirst().dropLast()))
    let signed = String(link.dropFirst(start.count).dropLast())
    let message = MessageAuthenticator(secrets: Self.secret)?.message(of: signed)
    let unsubscription = message.flatMap(Unsubscription.init(message:))
    #expect(unsubscription?.scope == .unread(.feedbackKit) && unsubscription?.person.id == scene.policy.person)
  }

  @Test(arguments: [
    (#"{"proposal_id": "F4000000-0000-4000-8000-000000000001"}"#, "f4000000-0000-4000-8000-000000000001"),
    (#"{"proposal_id": 7}"#, nil), (#"{"event_id": "x"}"#, nil), ("[]", nil),
  ])
  func theLinkOfAMailAboutAProposalNamesIt(data: String, proposal: String?) async throws {
    let (scene, sink) = (try await scene(), try await MailSink())
    let given = try await scene.connection.query(
      """
      SELECT (to_jsonb(u) || jsonb_build_object('app', 'lockitin', 'data', \(data)::jsonb))::text AS record
      FROM unread_notifications u
      """
    ).only().decode("record", as: String.self)

    let outcome = try await send(scene, given, to: sink)

    #expect(outcome.exit == 0, "\(outcome.stderr)")
    let link = try #require(try await mails(sink).first?["fields"]?["List-Unsubscribe"]?.stringValue)
    let signed = String(link.dropLast().drop { $0 != "=" }.dropFirst())
    let unsubscription = MessageAuthenticator(secrets: Self.secret)?.message(of: signed)
      .flatMap(Unsubscription.init(message:))
    #expect(unsubscription?.scope == .unread(.lockItIn))
    #expect(unsubscription?.proposal == proposal.flatMap(UUID.init(uuidString:)))
  }

  @Test func aMailThatIsSentAgainHasTheSameMessageID() async throws {
    let (scene, sink) = (try await scene(), try await MailSink())

    for _ in 1...2 { #expect(try await send(scene, to: sink).exit == 0) }

    let mails = try await mails(sink, 2)
    let id: String = try await scene.connection.query("SELECT notification_id::text AS id FROM unread_notifications")
      .only().decode("id")
    #expect(mails.map { $0["fields"]?["Message-ID"]?.stringValue } == ["<\(id)@example.com>", "<\(id)@example.com>"])
    #expect(mails[0] == mails[1])
  }

  @Test(arguments: [
    "UPDATE notifications SET is_read = true", "UPDATE notifications SET is_archived = true",
    "DELETE FROM notifications",
    "INSERT INTO unread_settings (user_id, app, is_enabled) SELECT user_id, app, false FROM notifications",
  ])
  func whoReadsItMeanwhileGetsNoMail(_ change: String) async throws {
    let (scene, sink) = (try await scene(), try await MailSink())
    let record = try await record(scene)
    try await scene.connection.script(change)

    let outcome = try await send(scene, record, to: sink)

    #expect(outcome.exit == 0 && outcome.stdout.contains(#""reason":"read""#), "\(outcome.stdout)\(outcome.stderr)")
    #expect(sink.count == 0)
  }

  @Test(arguments: [
    ("DELETE FROM votes", "subject_gone"),
    ("INSERT INTO push_gone_people (user_id) SELECT user_id FROM notifications", "subject_gone"),
    ("UPDATE users SET push_notifications_enabled = false", "disabled"),
    ("UPDATE users SET push_notify_votes = false", "type_disabled"),
    ("UPDATE notifications SET expires_at = created_at + interval '31 minutes'", "expired"),
  ])
  func whatIsNotTrueOrNotWantedAnyMoreIsNotMailed(change: String, reason: String) async throws {
    let (scene, sink) = (try await scene(), try await MailSink())
    try await scene.connection.script(change)

    let outcome = try await send(scene, to: sink, at: UnreadScene.due + 120)

    let isEnded = outcome.stdout.contains(#""reason":"\#(reason)""#)
    #expect(outcome.exit == 0 && isEnded, "\(outcome.stdout)\(outcome.stderr)")
    #expect(sink.count == 0)
  }

  @Test func whatIsADayLateIsNotMailed() async throws {
    let (scene, sink) = (try await scene(), try await MailSink())

    let late = try await send(scene, to: sink, at: UnreadScene.due + 86_401)
    let before = sink.count
    let inTime = try await send(scene, to: sink, at: UnreadScene.due + 86_400)

    #expect(late.exit == 0 && late.stdout.contains(#""reason":"expired""#) && before == 0)
    #expect(inTime.stdout.contains(#""sent":true"#), "\(inTime.stdout)\(inTime.stderr)")
  }

  @Test func quietHoursAndMutesPutTheMailOffToTheirEnd() async throws {
    let (scene, sink) = (try await scene(), try await MailSink())
    try await scene.policy.set(
      "quiet_hours_enabled = true, timezone = 'UTC', quiet_hours_start = '12:31', quiet_hours_end = '15:00'")

    let quiet = try await send(scene, to: sink, at: UnreadScene.noon + 3_600)
    let over = try await send(scene, to: sink, at: UnreadScene.noon + 3 * 3_600 + 120)
    try await scene.change(
      """
      INSERT INTO notification_mutes (user_id, scope, target, muted_until)
      VALUES (\(scene.policy.person), 'person', '', \(UnreadScene.noon + 4 * 3_600))
      """)
    let muted = try await send(scene, to: sink, at: UnreadScene.noon + 3 * 3_600 + 180)

    #expect(quiet.exit == 75 && quiet.stdout.contains(#""retryAfter":72"#), "\(quiet.stdout)\(quiet.stderr)")
    #expect(over.stdout.contains(#""sent":true"#), "\(over.stdout)\(over.stderr)")
    #expect(muted.exit == 75 && muted.stdout.contains(#""retryAfter":34"#), "\(muted.stdout)\(muted.stderr)")
    #expect(sink.count == 1)
  }

  @Test func theMailGoesToTheAddressThatThePersonHasNow() async throws {
    let (scene, sink) = (try await scene(), try await MailSink())
    let record = try await record(scene)

    try await scene.change("UPDATE users SET email = 'grace@new.example' WHERE email = 'grace@example.com'")
    let moved = try await send(scene, record, to: sink)
    try await scene.change("UPDATE users SET is_email_verified = false WHERE email = 'grace@new.example'")
    let doubted = try await send(scene, record, to: sink)

    #expect(moved.exit == 0, "\(moved.stdout)\(moved.stderr)")
    #expect(try await mails(sink).first?["to"]?.elements?.map(\.stringValue) == ["grace@new.example"])
    #expect(doubted.exit == 0 && doubted.stdout.contains(#""reason":"no_address""#), "\(doubted.stdout)")
    #expect(sink.count == 1)
  }

  @Test func withoutAServerNothingIsSent() async throws {
    let off = try await send(try await scene(), to: nil)

    #expect(off.exit == 0 && off.stdout.contains(#""reason":"off""#), "\(off.stdout)\(off.stderr)")
  }

  @Test func anAddressThatIsRefusedForGoodIsSaidOnceAndNotTriedAgain() async throws {
    let (scene, sink) = (try await scene(), try await MailSink(refusing: "RCPT 550 5.1.1 no such person"))

    let outcome = try await send(scene, to: sink)

    #expect(outcome.exit == 0 && outcome.stdout.contains(#""reason":"refused""#), "\(outcome.stdout)\(outcome.stderr)")
    #expect(outcome.stderr.contains("550 5.1.1") && !outcome.stderr.contains("grace@example.com"))
  }

  @Test func anAddressWithoutAMailboxGetsNoOtherMailUntilThereIsAnother() async throws {
    let (scene, sink) = (try await scene(), try await MailSink(refusing: "RCPT 550 5.1.1 no such person"))
    #expect(try await send(scene, to: sink).stdout.contains(#""reason":"refused""#))
    let working = try await MailSink()

    let again = try await send(scene, to: working)
    let event: String = try await scene.connection.query("SELECT source_event_id AS event FROM notifications").only()
      .decode("event")
    let why = try await BuiltExecutables.run(
      "push", ["why", event], environment: ["DATABASE_URL": scene.policy.demo.url])
    #expect(again.exit == 0 && again.stdout.contains(#""reason":"no_mailbox""#), "\(again.stdout)\(again.stderr)")
    #expect(working.count == 0)
    #expect(why.stdout.contains(", but the person's address has no mailbox (no_mailbox)."), "\(why.stdout)")

    try await scene.change("UPDATE users SET email = 'grace@new.example' WHERE email = 'grace@example.com'")
    let moved = try await send(scene, to: working)
    #expect(moved.stdout.contains(#""sent":true"#), "\(moved.stdout)\(moved.stderr)")
  }

  @Test func whoSwitchesRemindersOnAgainGetsMailsAtTheSameAddress() async throws {
    let (scene, sink) = (try await scene(), try await MailSink(refusing: "RCPT 550 5.1.1 no such person"))
    #expect(try await send(scene, to: sink).stdout.contains(#""reason":"refused""#))
    let id: UUID = try await scene.connection.query("SELECT user_id FROM unread_settings").only().decode("user_id")
    let working = try await MailSink()
    func set(_ isOn: Bool) async throws {
      var changes = PersonalChanges()
      changes.unreadReminders = isOn
      _ = try await PreferenceStore(scene.connection).personal(
        of: PersonLive.Person(id: id), app: .feedbackKit, changing: changes, at: UnreadScene.due)
    }

    try await set(true)
    #expect(try await send(scene, to: working).stdout.contains(#""reason":"no_mailbox""#))
    try await set(false)
    try await set(true)
    let again = try await send(scene, to: working)

    #expect(again.stdout.contains(#""sent":true"#), "\(again.stdout)\(again.stderr)")
  }

  @Test(arguments: ["RCPT 550 5.2.1 too many at a time", "RCPT 550 5.2.2 full", "RCPT 553 5.1.3 bad address"])
  func anotherRefusalIsNotRemembered(_ refusal: String) async throws {
    let (scene, sink) = (try await scene(), try await MailSink(refusing: refusal))
    #expect(try await send(scene, to: sink).stdout.contains(#""reason":"refused""#))

    let again = try await send(scene, to: try await MailSink())

    #expect(again.stdout.contains(#""sent":true"#), "\(again.stdout)\(again.stderr)")
  }

  @Test(arguments: ["RCPT 450 busy", "MAIL 451 later", "TEXT 452 full", "TEXT 554 5.7.1 spam", "RCPT 550 no"])
  func whatIsNotTakenNowIsTriedAgain(_ refusal: String) async throws {
    let (scene, sink) = (try await scene(), try await MailSink(refusing: refusal))

    let outcome = try await send(scene, to: sink)

    #expect(outcome.exit == 75, "\(outcome.stdout)\(outcome.stderr)")
  }

  @Test func aServerThatIsAwayIsTriedAgain() async throws {
    let scene = try await scene()

    let outcome = try await send(scene, to: nil, ["SMTP_URL": "smtp://127.0.0.1:\(try RunningProgram.freePort())"])

    #expect(outcome.exit == 75, "\(outcome.stdout)\(outcome.stderr)")
  }

  @Test(arguments: [
    ("MAIL_FROM", ""), ("MAIL_FROM", "nobody"), ("MAIL_FROM", "A <a@b.c>\r\nBcc: x@y.z"),
    ("UNSUBSCRIBE_SECRET", "short"), ("UNSUBSCRIBE_URL", "http://push.example.com"),
    ("UNSUBSCRIBE_URL", "https://x/>\r\nX: y"), ("UNSUBSCRIBE_URL", "https://"),
    ("UNSUBSCRIBE_URL", "http://127.0.0.1.example.com"), ("UNSUBSCRIBE_URL", "http://localhost.example.com"),
    ("SMTP_URL", "http://127.0.0.1"),
    ("SMTP_URL", "smtp://me:secret@127.0.0.1"),
  ])
  func aWrongSettingIsNamed(name: String, value: String) async throws {
    let (scene, sink) = (try await scene(), try await MailSink())

    let outcome = try await send(scene, to: sink, [name: value])

    #expect(outcome.exit == 78, "\(outcome.stdout)\(outcome.stderr)")
    #expect((outcome.stdout + outcome.stderr).contains(name) && !outcome.stderr.contains("secret@"))
    #expect(sink.count == 0)
  }

  @Test func anEmptySettingIsNone() async throws {
    let (scene, sink) = (try await scene(), try await MailSink())
    let none = ["SMTP_CA_PATH": "", "SMTP_USER": "", "SMTP_PASSWORD_PATH": ""]

    #expect(try await send(scene, to: sink, none).exit == 0)
    #expect(sink.count == 1)
  }

  @Test func aLineOfTheTextEndsAsMailHasIt() async throws {
    let (scene, sink) = (try await scene(), try await MailSink())
    try await scene.change("UPDATE unread_notifications SET body = E'one\\ntwo\\r\\nthree'")

    _ = try await send(scene, to: sink, ["MAIL_FROM": "Équipe de FeedbackKit, pour vous servir <no-reply@example.com>"])

    let mail = try #require(try await mails(sink).first)
    #expect(mail["bare"] == RawJSON(false) && mail["plain"]?.stringValue?.contains("two") == true)
    #expect((mail["coded"]?.intValue ?? 99) <= 76)
  }

  @Test(arguments: [
    "MAIL 553 not yours", "RCPT 554 5.7.1 Relay access denied", "RCPT 530 5.7.0 Authentication required",
  ])
  func aSenderThatTheServerRefusesIsAWrongSetting(_ refusal: String) async throws {
    let (scene, sink) = (try await scene(), try await MailSink(refusing: refusal))

    #expect(try await send(scene, to: sink).exit == 78)
  }

  @Test(arguments: [
    "Eve\r\nBcc: victim@example.com\r\n\r\nbody", "投票が届きました。とても長い題名なので折り返されるはずです。もう少し続きます。", "صوت جديد",
    "=?utf-8?Q?x?=", "<script>alert(1)</script> & \"more\"", "🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉",
    String(repeating: "long words ", count: 22),
  ])
  func aTitleIsReadAsItWasWrittenAndAddsNoField(_ title: String) async throws {
    let (scene, sink) = (try await scene(), try await MailSink())
    try await scene.change("UPDATE unread_notifications SET title = \(title)")

    let outcome = try await send(scene, to: sink)

    #expect(outcome.exit == 0, "\(outcome.stdout)\(outcome.stderr)")
    let mail = try #require(try await mails(sink).first)
    let seen = String(title.map { $0.isNewline ? " " : $0 })
    let subject = mail["fields"]?["Subject"]?.stringValue ?? ""
    #expect(subject.filter { $0 != " " } == seen.filter { $0 != " " })
    #expect(mail["names"]?.elements?.count == 11 && mail["fields"]?["Bcc"] == nil)
    #expect(mail["html"]?.stringValue?.contains("<script>") == false)
    #expect((mail["longest"]?.intValue ?? 999) < 500 && (mail["coded"]?.intValue ?? 99) <= 76)
  }

  @Test(arguments: [
    ("de", "Du hast das in FeedbackKit noch nicht gelesen.", "ltr"), ("ar", "لم تقرأ هذا في FeedbackKit بعد.", "rtl"),
  ])
  func theMailIsInTheReadersLanguage(tag: String, sentence: String, direction: String) async throws {
    let (scene, sink) = (try await scene(), try await MailSink())
    try await scene.change("UPDATE unread_notifications SET language = \(tag)")

    _ = try await send(scene, to: sink)

    let mail = try #require(try await mails(sink).first)
    let (plain, html) = (mail["plain"]?.stringValue ?? "", mail["html"]?.stringValue ?? "")
    #expect(plain.filter(\.isASCIIOrLetter).contains(sentence.filter(\.isASCIIOrLetter)), "\(plain)")
    #expect(html.contains("<html lang=\"\(tag)\" dir=\"\(direction)\">"))
    #expect(mail["fields"]?["Content-Language"]?.stringValue == tag)
  }
}

extension Character {
  /// Whether it is more than a mark of direction.
  fileprivate var isASCIIOrLetter: Bool { isASCII || isLetter }
}
