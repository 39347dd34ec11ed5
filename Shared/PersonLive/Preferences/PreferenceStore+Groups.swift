package import FoundationEssentials
package import FunctionKit
package import Notifications
import Postgres
import StoreLive

extension PreferenceStore {
  /// The column of a proposal's own switch for its votes.
  private static let ofProposal: SQL = "\(identifier: VoteOnProposal.kind.preference.ofProposal ?? "")"

  /// A person's preferences for a group after the change; `nil` if the person is no member.
  /// - Parameter level: `nil` keeps it.
  package func preferences(
    of person: Person, group: UUID, changing level: Candidate.Level? = nil, _ overrides: OverrideChanges = [:],
    at now: Date, dryRun: Bool = false
  ) async throws -> RawJSON? {
    guard let groups = App.lockItIn.profile.groups else { return nil }
    var columns: [Assignment] = []
    columns.set(groups.level.column, level?.rawValue)
    columns.set(overrides)
    let mine: SQL = "o.group_id = \(group) AND o.user_id = \(person.id)"
    let writing = groups.upsert(
      columns, of: "o.user_id", in: "o.group_id", overrides: Override.group, at: now,
      "FROM group_members o WHERE \(mine) FOR SHARE")
    let reading: SQL = """
      SELECT o.group_id, o.user_id, \(.ofGroup)
      FROM group_members o \(.preferences(ofGroup: "o.group_id", user: "o.user_id"))
      WHERE \(mine)
      """
    return try await document(of: person, after: [writing].compactMap(\.self), reading, dryRun: dryRun) { row in
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

  /// Whether a person is notified of each vote on their proposal, after the change.
  ///
  /// It is `nil` if the person did not make the proposal or is no longer a member of its group.
  /// - Parameter voteCast: `nil` keeps it; with `.some(nil)`, the group's switch and the personal one decide.
  package func preferences(
    of person: Person, proposal: UUID, changing voteCast: Bool?? = nil, at now: Date, dryRun: Bool = false
  ) async throws -> RawJSON? {
    let mine: SQL = """
      p.id = \(proposal) AND p.created_by = \(person.id) AND EXISTS (
        SELECT FROM group_members o WHERE o.group_id = p.group_id AND o.user_id = p.created_by)
      """
    let writing: [SQL] =
      voteCast.map { value in
        ["UPDATE event_proposals p SET \(Self.ofProposal) = \(value as Bool?), updated_at = \(now) WHERE \(mine)"]
      } ?? []
    let reading: SQL = """
      SELECT p.id AS proposal_id, p.created_by AS user_id, p.\(Self.ofProposal) AS of_proposal, \(.ofGroup)
      FROM event_proposals p \(.preferences(ofGroup: "p.group_id", user: "p.created_by"))
      WHERE \(mine)
      """
    return try await document(of: person, after: writing, reading, dryRun: dryRun) { row in
      let ofProposal: Bool? = try row.optional("of_proposal")
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
  fileprivate static let voteCast = Override(column: VoteOnProposal.kind.switchKey, without: "")
}

extension SQL {
  fileprivate static let ofGroup: SQL = """
    \(App.lockItIn.profile.groups?.levelWord ?? "'all'") AS level,
    \(App.lockItIn.profile.preferences.isEnabled) AS is_enabled,
    \(switches(Override.group.map(\.column), of: "m")) AS overrides, \(switches(of: .lockItIn)) AS switches
    """

  fileprivate static func preferences(ofGroup group: SQL, user: SQL) -> SQL {
    let profile = App.lockItIn.profile
    return
      "\(profile.preferences.join(of: .lockItIn, user: user)) \(profile.groups?.join(user: user, group: group) ?? "")"
  }
}
