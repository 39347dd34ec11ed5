import FoundationEssentials
import FunctionKit
import Locales
import Notifications
import Postgres
import World

/// What people are told in.
extension Simulation {
  /// Notes what each person is told in from now on: the language of their choice, else that of their newest device.
  func noteLanguages() async throws {
    let rows = try await database.query(
      """
      SELECT u.id || ' ' || a.app AS reader, coalesce(
        CASE a.app WHEN 'lockitin' THEN p.language ELSE s.language END, (
          SELECT t.locale FROM device_tokens t
          WHERE t.user_id = u.id AND t.app = a.app AND t.is_active AND t.locale IS NOT NULL
          ORDER BY t.registered_at DESC, t.id LIMIT 1)) AS tag
      FROM users u CROSS JOIN unnest(\(World.apps)::text[]) a (app)
      LEFT JOIN user_notification_preferences p ON p.user_id = u.id
      LEFT JOIN notification_settings s ON s.user_id = u.id AND s.app = a.app
      """)
    for row in rows {
      let (reader, tag): (String, String?) = (try row.decode("reader"), row["tag"])
      if let last = languages[reader]?.last, last.tag == tag { continue }
      languages[reader, default: []].append((clock, tag))
    }
  }

  /// Compares the title of a push with the texts of what its person read when it was decided, or since then.
  func compareLanguage(_ payload: String, _ row: Row, since decided: Date) throws {
    let (user, app, kind): (String, String, String) = (
      try row.decode("user_id"), try row.decode("app"), try row.decode("kind")
    )
    // The other apps bring the words of their pushes.
    guard ["feedbackkit", "lockitin"].contains(app), !["badge", "vote_count"].contains(kind) else { return }
    let title = try RawJSON(validating: Array(payload.utf8)[...])["aps"]?["alert"]?["title"]?.stringValue ?? ""
    let known = languages["\(user) \(app)"] ?? []
    let read = known.indices.filter { $0 + 1 == known.count || known[$0 + 1].since >= decided }.map { known[$0].tag }
    if !read.contains(where: { Self.isTitle(title, of: kind, app, in: $0) }) {
      violation("language", "\(title) of \(kind) is told to \(user.prefix(8)), who reads \(read)")
    }
  }

  private static func isTitle(_ title: String, of kind: String, _ app: String, in tag: String?) -> Bool {
    let language = tag.map { String($0.prefix { $0 != "-" }) } ?? "en"
    let texts = Texts.texts(in: Texts.languages.contains(language) ? language : "en").texts
    let beginnings =
      kind == "quiet_summary" ? ["summary.title"] : ["\(app).\(kind).", "several.", "hidden."]
    return texts.contains { name, text in
      beginnings.contains { name.hasPrefix($0) } && (name.contains("title") || name.hasPrefix("hidden."))
        && text.categories.contains { text.form($0).map { says(title, $0) } ?? false }
    }
  }

  /// Whether a title has the words of a text, in their order.
  private static func says(_ title: String, _ form: [CatalogueText.Piece]) -> Bool {
    var rest = title[...]
    for (place, piece) in form.enumerated() {
      guard case .words(let words) = piece else { continue }
      guard let found = rest.firstRange(of: words), place > 0 || found.lowerBound == title.startIndex else {
        return false
      }
      rest = rest[found.upperBound...]
    }
    return true
  }
}
