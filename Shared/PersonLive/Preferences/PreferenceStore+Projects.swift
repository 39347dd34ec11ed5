public import FoundationEssentials
public import FunctionKit
import Notifications
import Postgres
import StoreLive

/// New values for a person's preferences of one project; `nil`, and what is not named, stays.
public struct ProjectChanges: Sendable {
  /// Whether there are no pushes at all.
  public var isMuted: Bool?
  /// The switches for pushes.
  public var push: OverrideChanges = [:]
  /// Whether there is no e-mail at all.
  public var isEmailMuted: Bool?
  /// The switches for e-mail.
  public var email: OverrideChanges = [:]

  /// Everything stays as it is.
  public init() {}

  fileprivate var assignments: [Assignment] {
    var columns: [Assignment] = []
    columns.set("push_muted", isMuted)
    columns.set(push)
    columns.set("email_muted", isEmailMuted)
    columns.set(email)
    return columns
  }
}

extension PreferenceStore {
  private static let isInProject: SQL = "r.feedback_id IN (SELECT id FROM feedbacks WHERE project_id = p.id)"

  /// A row where one of the SDK's rows is the account `u`.
  private static func account(in table: String, where condition: SQL) -> SQL {
    let likely: SQL = "(push_uuid(r.user_id) = u.id OR lower(r.user_email) = lower(u.email))"
    return "SELECT FROM (\(.accounts(of: table, where: "\(condition) AND \(likely)"))) a WHERE a.user_id = u.id"
  }

  /// A person's preferences of a project, after they were changed; `nil` where it does not concern them.
  ///
  /// Then they neither own it nor belong to it, nor have submitted or voted for anything in it.
  public func preferences(
    of person: Person, project: UUID, changing changes: ProjectChanges = ProjectChanges(), at now: Date,
    dryRun: Bool = false
  ) async throws -> RawJSON? {
    let columns = changes.assignments
    let mine: SQL = """
      p.id = \(project) AND u.id = \(person.id) AND (p.owner_id = u.id OR EXISTS (
        SELECT FROM project_members o WHERE o.project_id = p.id AND o.user_id = u.id
        UNION ALL \(Self.account(in: "feedbacks", where: "r.project_id = p.id"))
        UNION ALL \(Self.account(in: "votes", where: Self.isInProject))))
      """
    let keys = [Assignment(column: "user_id", value: "u.id"), Assignment(column: "project_id", value: "p.id")]
    let writing = SQL.upsert(
      "project_member_preferences", keys, columns + [.time(now)],
      "FROM projects p CROSS JOIN users u WHERE \(mine) FOR KEY SHARE")
    let personal = PersonalSwitch.all(of: .feedbackKit).map(\.key)
    let reading: SQL = """
      SELECT p.id AS project_id, u.id AS user_id, coalesce(m.push_muted, false) AS is_muted,
        coalesce(m.email_muted, false) AS is_email_muted, u.push_notifications_enabled AS is_enabled,
        \(.switches((Override.push + Override.email).map(\.column), of: "m")) AS overrides,
        \(.switches(personal, of: "u")) AS switches
      FROM projects p CROSS JOIN users u
      LEFT JOIN project_member_preferences m ON m.user_id = u.id AND m.project_id = p.id
      WHERE \(mine)
      """
    return try await document(of: person, after: columns.isEmpty ? [] : [writing], reading, dryRun: dryRun) { row in
      try row.projectPreferences()
    }
  }
}

extension Row {
  fileprivate func projectPreferences() throws -> RawJSON {
    let isMuted: Bool = try decode("is_muted")
    let overrides = switches("overrides")
    let isEmailMuted: Bool = try decode("is_email_muted")
    let effective = try effective(
      Override.push, of: .feedbackKit, level: isMuted ? .muted : .all, overrides: overrides)
    return RawJSON(object: [
      ("projectId", try id("project_id")), ("userId", try id("user_id")),
      ("push", RawJSON(object: [("muted", RawJSON(isMuted))] + Override.push.members(overrides))),
      ("email", RawJSON(object: [("muted", RawJSON(isEmailMuted))] + Override.email.members(overrides))),
      ("effectivePreferences", effective),
    ])
  }

  /// The combined effect of the switches of the person (`is_enabled`, `switches`) and of the project or group.
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
