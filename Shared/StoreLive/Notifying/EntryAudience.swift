import FoundationEssentials
package import Notifications
import Postgres

extension EventReader {
  /// The announcement of an app's own row to its person; `nil` if the row is gone.
  ///
  /// A row that an earlier event has announced is not announced again.
  package func announcement(of notice: AppNotice, in entry: AppEntry) async throws -> Announcement<AppNotice>? {
    let rows = try await query(
      """
      SELECT n.function IS NOT NULL AND NOT \(event.caused("n")) AS is_announced,
        CASE WHEN n.expires_at <= \(event.now)::timestamptz + interval '1 day' THEN n.expires_at END AS deadline
      FROM notifications n WHERE n.id = \(entry.id)
      """)
    guard let row = rows.first else { return nil }
    var notice = notice
    notice.deadline = try row.optional("deadline")
    let actor = Actor(
      claimed: event.actorID, byID: [entry["actor_user_id"], entry["actor_id"]].compactMap { $0.flatMap(UUID.init) })
    let isAnnounced: Bool = try row.decode("is_announced")
    return Announcement(
      isAnnounced ? [] : [notice], to: .person(of: entry.id, notice, at: event.now), except: actor, entry: entry.id)
  }
}

extension Audience {
  fileprivate static func person(of entry: UUID, _ notice: AppNotice, at now: Date) -> Audience {
    Audience(
      people: """
        SELECT n.user_id, \(notice.subject.id)::text AS subject_id, \(RecipientReason.addressee.rawValue) AS reason,
          CASE WHEN n.expires_at <= \(now) THEN 'handled' END AS eligibility,
          \(notice.kind.app.profile.groups?.ofNotification("n") ?? "NULL::uuid") AS scope_id, n.proposal_id
        FROM notifications n
        WHERE n.id = \(entry)
        """)
  }
}
