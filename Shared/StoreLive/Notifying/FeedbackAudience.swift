import FoundationEssentials
package import Notifications
package import Postgres

extension Announcement {
  /// A notice about a feedback to its people, each for their strongest reason.
  package init(_ notice: N, about feedback: Feedback, to reasons: Set<RecipientReason>, except actor: Actor) {
    self.init([notice], to: .people(around: feedback, reasons), except: actor)
  }
}

extension Audience {
  fileprivate static func people(around feedback: Feedback, _ reasons: Set<RecipientReason>) -> Audience {
    Audience(
      people: """
        SELECT r.user_id, \(feedback.id)::uuid::text AS subject_id, r.reason, NULL AS eligibility,
          \(feedback.projectID)::uuid AS scope_id
        FROM (
          SELECT DISTINCT ON (a.user_id) a.user_id, a.reason
          FROM (\(union(reasons.sorted().map { recipients(of: feedback, $0) }))) a
          ORDER BY a.user_id, a.strength DESC
        ) r
        """, crowd: reasons.contains(.voter) ? "SELECT FROM votes WHERE feedback_id = \(feedback.id)" : nil)
  }

  private static func recipients(of feedback: Feedback, _ reason: RecipientReason) -> SQL {
    let people: SQL =
      switch reason {
      case .submitter: .accounts(of: "feedbacks", where: "r.id = \(feedback.id)")
      case .voter: .accounts(of: "votes", where: "r.feedback_id = \(feedback.id)")
      case .member:
        """
        SELECT owner_id AS user_id FROM projects WHERE id = \(feedback.projectID)
        UNION ALL SELECT user_id FROM project_members WHERE project_id = \(feedback.projectID)
        """
      case .attendee, .organizer, .addressee: "SELECT NULL::uuid AS user_id WHERE false"
      }
    return "SELECT user_id, \(reason.rawValue)::text AS reason, \(reason.strength) AS strength FROM (\(people)) p"
  }

  private static func union(_ queries: [SQL]) -> SQL {
    queries.dropFirst().reduce(queries.first ?? "") { "\($0) UNION ALL \($1)" }
  }
}

extension SQL {
  /// The registered user of each row with the SDK's `user_id` and a `user_email`: first by id, then by address.
  package static func accounts(of table: String, where condition: SQL) -> SQL {
    """
    SELECT coalesce(i.id, e.id) AS user_id
    FROM \(identifier: table) r
    LEFT JOIN users i ON i.id = push_uuid(r.user_id)
    LEFT JOIN LATERAL push_account(CASE WHEN i.id IS NULL THEN r.user_email END) e ON true
    WHERE \(condition) AND coalesce(i.id, e.id) IS NOT NULL
    """
  }
}
