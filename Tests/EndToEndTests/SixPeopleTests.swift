import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Six people plan an evening, from rows to phones, each in their own language and by their own clock.
@Suite(.heavy)
struct SixPeopleTests {
  /// The time zone and the phone's language of each.
  private static let people: [(name: String, zone: String, locale: String?)] = [
    ("Zoe", "Europe/Berlin", nil), ("Amina", "Africa/Cairo", "ar-EG"), ("Yuki", "Asia/Tokyo", "ja-JP"),
    ("Lena", "Europe/Berlin", "de-AT"), ("Sam", "Europe/Berlin", "en-GB"), ("Tom", "Europe/Berlin", "tlh"),
  ]

  private static let group = "f0000000-0000-4000-8000-000000000001"
  private static let proposal = "f4000000-0000-4000-8000-000000000001"
  private static let option = "f5000000-0000-4000-8000-000000000001"

  private static func id(_ person: Int) -> String { "a0000000-0000-4000-8000-00000000000\(person)" }
  private static func token(_ person: Int) -> String { String(repeating: "a\(person)", count: 32) }

  private static let before: String = {
    let rows = people.enumerated().map { index, person in
      let (name, zone, locale) = person
      let id = id(index + 1)
      return """
        INSERT INTO users (id, email, name, is_email_verified) VALUES ('\(id)', '\(name)@example.com', '\(name)', true);
        INSERT INTO user_notification_preferences (user_id, timezone) VALUES ('\(id)', '\(zone)');
        INSERT INTO device_tokens (user_id, token, platform, app, environment, bundle_id, locale)
        VALUES ('\(id)', '\(token(index + 1))', 'iOS', 'lockitin', 'sandbox', 'com.lockit.app',
          \(locale.map { "'\($0)'" } ?? "NULL"));
        """
    }
    return """
      BEGIN;
      SET LOCAL session_replication_role = replica;
      \(rows.joined(separator: "\n"))
      INSERT INTO groups (id, name, created_by) VALUES
        ('\(group)', 'Friends', '\(id(1))'), ('f0000000-0000-4000-8000-000000000002', 'Book Club', '\(id(1))');
      INSERT INTO group_members (group_id, user_id) SELECT '\(group)', id FROM users;
      COMMIT
      """
  }()

  private static let acts = [
    """
    INSERT INTO event_proposals (id, group_id, created_by, title, deadline)
    VALUES ('\(proposal)', '\(group)', '\(id(1))', 'Game Night', now() + interval '73 hours')
    """,
    """
    INSERT INTO friend_requests (requester_id, recipient_id) SELECT '\(id(1))', id FROM users WHERE id <> '\(id(1))'
    """,
    """
    INSERT INTO group_invites (group_id, inviter_id, invitee_id)
    SELECT 'f0000000-0000-4000-8000-000000000002', '\(id(1))', id FROM users WHERE id <> '\(id(1))'
    """,
    """
    INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at)
    VALUES ('\(option)', '\(proposal)', '2030-01-12T19:00:00Z', '2030-01-12T23:00:00Z');
    INSERT INTO events (id, group_id, proposal_id, option_id, created_by, title, starts_at, ends_at)
    VALUES ('\(proposal)', '\(group)', '\(proposal)', '\(option)', '\(id(1))', 'Game Night', '2030-01-12T19:00:00Z',
      '2030-01-12T23:00:00Z');
    UPDATE event_proposals SET status = 'confirmed' WHERE id = '\(proposal)'
    """,
  ]

  private static let english = [
    "Zoe proposed Game Night / Vote needed • Closes in 3 days", "Zoe sent you a friend request / Tap to view",
    "You were added to Book Club / Zoe invited you",
  ]

  /// All that each of them is told.
  private static let told = [
    ["Game Night confirmed! / Saturday at 8:00 PM"],
    [
      "\u{2068}Zoe\u{2069} اقترح \u{2068}Game Night\u{2069} / صوتك مطلوب • ينتهي التصويت خلال ٣ أيام",
      "\u{2068}Zoe\u{2069} أرسل إليك طلب صداقة / اضغط للعرض",
      "تمت إضافتك إلى \u{2068}Book Club\u{2069} / دعوة من \u{2068}Zoe\u{2069}",
      "تم تأكيد \u{2068}Game Night\u{2069}! / السبت، ٩:٠٠ م",
    ],
    [
      "ZoeさんがGame Nightを提案しました / 投票をお願いします • 締め切りは3 日後",
      "Zoeさんから友達リクエストが届きました / タップして表示", "Book Clubに追加されました / Zoeさんからの招待です",
      "Game Nightが確定しました / 日曜日 4:00",
    ],
    [
      "Zoe hat Game Night vorgeschlagen / Deine Stimme fehlt • Endet in 3 Tagen",
      "Zoe möchte mit dir befreundet sein / Zum Ansehen tippen",
      "Du wurdest zu Book Club hinzugefügt / Zoe hat dich eingeladen", "Game Night steht fest! / Samstag um 20:00",
    ],
    english + ["Game Night confirmed! / Saturday at 20:00"],
    english + ["Game Night confirmed! / Saturday at 8:00 PM"],
  ]

  @Test func eachIsToldInTheirLanguageAndByTheirClock() async throws {
    let runner = try await RunningRunner(try House.text("functions.json"))
    let served = try await runner.start(services: true)
    try await served.program.line { $0.contains("Partitions taken") }
    let phones = try Phones(served, project: runner.project.path)
    try await runner.database.script(Self.before)

    for act in Self.acts {
      try await runner.database.script(act)
      try await runner.settle()
    }

    let alerts = try await phones.pushes().compactMap { push -> (token: String?, words: String)? in
      guard let alert = push["payload"]?["aps"]?["alert"] else { return nil }
      let words = ["title", "body"].compactMap { alert[$0]?.stringValue }.joined(separator: " / ")
      return (push["token"]?.stringValue, words)
    }
    for (index, told) in Self.told.enumerated() {
      let words = alerts.filter { $0.token == Self.token(index + 1) }.map(\.words)
      #expect(words.sorted() == told.sorted(), "\(Self.people[index].name)")
    }
    #expect(alerts.count == Self.told.joined().count)
  }
}
