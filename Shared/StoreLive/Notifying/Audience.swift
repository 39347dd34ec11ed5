package import FoundationEssentials
package import Notifications
import Postgres

/// The candidates of a notice, as a statement.
package struct Audience: Sendable {
  /// A query with a row for each person and subject.
  ///
  /// Its columns are `user_id, subject_id, reason, eligibility, scope_id`, and for some kinds `proposal_id` or
  /// `travel_minutes, travel_mode, traffic`. An `eligibility` of NULL is `open`. The scope is the project or group whose
  /// switches count; NULL for none.
  let people: SQL
  /// A query with about as many rows as there are people; `nil` for a small audience.
  var crowd: SQL?

  package static let nobody = Audience(people: "SELECT WHERE false")

  /// A person whom an event addresses.
  package static func person(_ user: UUID, about subject: Subject) -> Audience {
    Audience(
      people: """
        SELECT u.id AS user_id, \(subject.id)::text AS subject_id, \(RecipientReason.addressee.rawValue) AS reason,
          NULL AS eligibility, NULL::uuid AS scope_id
        FROM users u WHERE u.id = \(user)
        """)
  }

  /// Whether there are about more people than `size`.
  func isLarger(than size: Int, _ transaction: some QueryExecutor) async throws -> Bool {
    guard let crowd else { return false }
    return try await !transaction.query("\(crowd) OFFSET \(size) LIMIT 1").isEmpty
  }

  /// The candidates in the order of their ids, with their devices and their preferences for a kind.
  func candidates(of kind: Kind, after place: Place?, at now: Date) -> SQL {
    let rest: SQL = place.map { "WHERE (p.user_id, p.subject_id) > (\($0.user), \($0.subject)::text)" } ?? ""
    let settings = Settings(of: kind, for: "p")
    return """
      SELECT p.*, \(settings.columns), \(settings.mute), ARRAY(
        SELECT d.id FROM device_tokens d
        WHERE d.user_id = p.user_id AND d.app = \(kind.app.rawValue) AND d.is_active IS NOT FALSE ORDER BY d.id) AS devices,
        \(SQL.isViewing(kind.app, user: "p.user_id", subject: "p.subject_id", at: now)) AS is_viewing,
        \(SQL.isGone("p.user_id")) AS is_gone
      FROM (\(people)) p
      \(settings.tables)
      \(rest)
      ORDER BY p.user_id, p.subject_id
      """
  }

  /// A place in the order of an audience.
  struct Place: Decodable, Equatable {
    let user: UUID
    let subject: String

    init(_ candidate: Candidate) {
      (user, subject) = (candidate.user, candidate.subjectID)
    }
  }
}
