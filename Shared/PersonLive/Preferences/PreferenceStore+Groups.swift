public import FoundationEssentials
public import FunctionKit
public import Notifications
import Postgres

extension PreferenceStore {
  /// A person's preferences of a group, after they were changed; `nil` where the person is no member.
  /// - Parameter level: `nil` keeps it.
  public func preferences(
    of person: Person, group: UUID, changing level: Candidate.Level? = nil, _ overrides: OverrideChanges = [:],
    at now: Date, dryRun: Bool = false
  ) async throws -> RawJSON? {
    var columns: [Assignment] = []
    columns.set("notification_level", level?.rawValue)
    columns.set(overrides)
    let keys = [Assignment(column: "user_id", value: "m.user_id"), Assignment(column: "group_id", value: "m.group_id")]
    let mine: SQL = "m.group_id = \(group) AND m.user_id = \(person.id)"
    let writing = SQL.upsert(
      "group_notification_preferences", keys, columns + [.time(now)], "FROM group_members m WHERE \(mine) FOR SHARE")
    let reading: SQL = """
      SELECT m.group_id, m.user_id, \(.ofGroup)
      FROM group_members m \(.preferences(ofGroup: "m.group_id", user: "m.user_id"))
      WHERE \(mine)
      """
    return try await document(of: person, after: columns.isEmpty ? [] : [writing], reading, dryRun: dryRun) { row in
      let level = row["level"].flatMap(Candidate.Level.init) ?? .all
      let overrides = row.switches("overrides")
      return RawJSON(object: [
        ("groupId", try row.id("group_id")), ("userId", try row.id("user_id")),
        ("push", RawJSON(object: [("level", RawJSON(level.rawValue))] + Override.group.members(overrides))),
        (
          "effectivePreferences",
          try row.effective(Override.group, of: .lockItIn, level: level, overrides: overrides)
        ),
      ])
    }
  }

  /// Whether a person hears of each vote on their proposal, as it is after the change.
  ///
  /// It is `nil` where the person did not make the proposal, or is no longer a member of its group.
  /// - Parameter voteCast: `nil` keeps it, `.some(nil)` leaves the decision to the group's switch and the personal one.
  public func preferences(
    of person: Person, proposal: UUID, changing voteCast: Bool?? = nil, at now: Date, dryRun: Bool = false
  ) async throws -> RawJSON? {
    let mine: SQL = """
      p.id = \(proposal) AND p.created_by = \(person.id) AND EXISTS (
        SELECT FROM group_members o WHERE o.group_id = p.group_id AND o.user_id = p.created_by)
      """
    let writing: [SQL] =
      voteCast.map { value in
        ["UPDATE event_proposals p SET notify_vote_cast = \(value as Bool?), updated_at = \(now) WHERE \(mine)"]
      } ?? []
    let reading: SQL = """
      SELECT p.id AS proposal_id, p.created_by AS user_id, p.notify_vote_cast, \(.ofGroup)
      FROM event_proposals p \(.preferences(ofGroup: "p.group_id", user: "p.created_by"))
      WHERE \(mine)
      """
    return try await document(of: person, after: writing, reading, dryRun: dryRun) { row in
      let ofProposal: Bool? = try row.optional("notify_vote_cast")
      let vote = Override.voteCast
      let overrides = row.switches("overrides").merging(ofProposal.map { [vote.column: $0] } ?? [:]) { _, new in new }
      return RawJSON(object: [
        ("proposalId", try row.id("proposal_id")), ("userId", try row.id("user_id")),
        (vote.name, RawJSON(ofProposal)),
        (
          "effectivePreferences",
          try row.effective(
            [vote], of: .lockItIn, level: row["level"].flatMap(Candidate.Level.init) ?? .all, overrides: overrides)
        ),
      ])
    }
  }
}

extension Override {
  fileprivate static let voteCast = Override(name: "voteCast", column: "vote_cast")
}

extension SQL {
  fileprivate static let ofGroup: SQL = """
    g.notification_level AS level, coalesce(s.notifications_enabled, true) AS is_enabled,
    \(switches(Override.group.map(\.column), of: "g")) AS overrides,
    \(switches(PersonalSwitch.all(of: .lockItIn).map(\.key), of: "s")) AS switches
    """

  fileprivate static func preferences(ofGroup group: SQL, user: SQL) -> SQL {
    """
    LEFT JOIN user_notification_preferences s ON s.user_id = \(user)
    LEFT JOIN group_notification_preferences g ON g.user_id = \(user) AND g.group_id = \(group)
    """
  }
}
