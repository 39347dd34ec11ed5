package import FoundationEssentials
package import FunctionKit
import Notifications
import Postgres
import StoreLive

/// New values for a person's preferences for one project; `nil` and missing switches keep their value.
package struct ProjectChanges: Sendable {
  /// Whether all pushes are off.
  package var isMuted: Bool?
  /// The switches for pushes.
  package var push: OverrideChanges = [:]
  /// Whether all e-mail is off.
  package var isEmailMuted: Bool?
  /// The switches for e-mail.
  package var email: OverrideChanges = [:]

  /// Everything stays as it is.
  package init() {}

  fileprivate func assignments(in groups: GroupPreferences) -> [Assignment] {
    var columns: [Assignment] = []
    columns.set(groups.level.column, isMuted)
    columns.set(push)
    columns.set("email_muted", isEmailMuted)
    columns.set(email)
    return columns
  }
}

extension PreferenceStore {
  private static let isInProject: SQL = "r.feedback_id IN (SELECT id FROM feedbacks WHERE project_id = p.id)"

  /// A row if one of the SDK's rows belongs to the account `u`.
  private static func account(in table: String, where condition: SQL) -> SQL {
    let likely: SQL = "(push_uuid(r.user_id) = u.id OR \(.hasAddress("u", "r.user_email")))"
    return "SELECT FROM (\(.accounts(of: table, where: "\(condition) AND \(likely)"))) a WHERE a.user_id = u.id"
  }

  /// A person's preferences for a project after the change; `nil` if it does not concern them.
  ///
  /// It concerns its owner, its members, and people who have submitted or voted for something in it.
  package func preferences(
    of person: Person, project: UUID, changing changes: ProjectChanges = ProjectChanges(), at now: Date,
    dryRun: Bool = false
  ) async throws -> RawJSON? {
    let mine: SQL = """
      p.id = \(project) AND u.id = \(person.id) AND (p.owner_id = u.id OR EXISTS (
        SELECT FROM project_members o WHERE o.project_id = p.id AND o.user_id = u.id
        UNION ALL \(Self.account(in: "feedbacks", where: "r.project_id = p.id"))
        UNION ALL \(Self.account(in: "votes", where: Self.isInProject))))
      """
    let profile = App.feedbackKit.profile
    guard let groups = profile.groups else { return nil }
    let writing = groups.upsert(
      changes.assignments(in: groups), of: "u.id", in: "p.id", at: now,
      "FROM projects p CROSS JOIN users u WHERE \(mine) FOR KEY SHARE")
    let reading: SQL = """
      SELECT p.id AS project_id, u.id AS user_id, \(groups.levelWord) AS level,
        coalesce(m.email_muted, false) AS is_email_muted, \(profile.preferences.isEnabled) AS is_enabled,
        \(.switches((Override.push + Override.email).map(\.column), of: "m")) AS overrides,
        \(.switches(of: .feedbackKit)) AS switches
      FROM projects p CROSS JOIN users u
      \(groups.join(user: "u.id", group: "p.id"))
      WHERE \(mine)
      """
    return try await document(of: person, after: [writing].compactMap(\.self), reading, dryRun: dryRun) { row in
      try row.projectPreferences()
    }
  }
}

extension Row {
  fileprivate func projectPreferences() throws -> RawJSON {
    let level = self["level"].flatMap(Candidate.Level.init) ?? .all
    let overrides = switches("overrides")
    let isEmailMuted: Bool = try decode("is_email_muted")
    let effective = try effective(Override.push, of: .feedbackKit, level: level, overrides: overrides)
    return RawJSON(object: [
      ("projectId", try id("project_id")), ("userId", try id("user_id")),
      ("push", RawJSON(object: [("muted", RawJSON(level == .muted))] + Override.push.members(overrides))),
      ("email", RawJSON(object: [("muted", RawJSON(isEmailMuted))] + Override.email.members(overrides))),
      ("effectivePreferences", effective),
    ])
  }

  /// The combined effect of the person's switches (`is_enabled`, `switches`) and those of the project or group.
  func effective(
    _ names: [Override], of app: App, level: Candidate.Level, overrides: [String: Bool]
  ) throws(PostgresError) -> RawJSON {
    let isEnabled: Bool = try decode("is_enabled")
    let personal = switches("switches")
    let all = PersonalSwitch.all(of: app)
    let push = names.compactMap { name in
      all.first { $0.key == name.column }.map {
        (name.name, RawJSON($0.isOn(isEnabled: isEnabled, level: level, overrides: overrides, personal: personal)))
      }
    }
    return RawJSON(object: [("push", RawJSON(object: push))])
  }
}

extension [Override] {
  /// Their values as members of an object.
  func members(_ values: [String: Bool]) -> [(String, RawJSON)] { map { ($0.name, RawJSON(values[$0.column])) } }
}
