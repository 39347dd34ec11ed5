import FoundationEssentials
import Notifications
import Postgres

/// Who may be told, as one statement that also reads their switches.
public struct Audience: Sendable {
  /// A query with a row for each person and subject.
  ///
  /// Its columns are `user_id, subject_id, reason, is_enabled, level, override, personal, sound, timezone, standing`,
  /// and where it matters `travel_minutes, travel_mode, traffic`. A standing that is NULL is `open`.
  let people: SQL
  /// Whether it is worth a cursor from the first page on.
  var mayBeLarge = false

  /// Nobody.
  public static let nobody = Audience(people: "SELECT WHERE false")

  /// The people in the order of their ids, with their devices and with what they want to be left alone by.
  func candidates(of app: App, after place: Place?, at now: Date) -> SQL {
    let rest: SQL = place.map { "WHERE (p.user_id, p.subject_id) > (\($0.user), \($0.subject)::text)" } ?? ""
    return """
      SELECT p.*, ARRAY(
        SELECT d.id FROM device_tokens d
        WHERE d.user_id = p.user_id AND d.app = \(app.rawValue) AND d.is_active ORDER BY d.id) AS devices,
        q.is_quiet, q.quiet_start, q.quiet_end, q.quiet_zone, q.hourly_limit, q.chosen_sound,
        \(SQL.isViewing(app, user: "p.user_id", subject: "p.subject_id", at: now)) AS is_viewing
      FROM (\(people)) p
      LEFT JOIN (\(SQL.calm(of: app))) q ON q.user_id = p.user_id
      \(rest)
      ORDER BY p.user_id, p.subject_id
      """
  }

  /// A place in the order of an audience.
  struct Place: Codable, Equatable {
    let user: UUID
    let subject: String

    init(_ candidate: Candidate) {
      (user, subject) = (candidate.user, candidate.subjectID)
    }
  }
}
