package import FoundationEssentials
package import FunctionKit
package import Notifications
package import Postgres
import StoreLive

/// People's preferences, in PostgreSQL.
///
/// The answers are documents with `null` for a value that is not set.
package struct PreferenceStore: Sendable {
  private let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Writes, then reads the result; `nil` if the person may do neither.
  ///
  /// Each statement itself must write only what is the person's.
  private func document(
    of person: Person, after writing: [Writing], _ reading: SQL, dryRun: Bool, _ document: (Row) throws -> RawJSON
  ) async throws -> RawJSON? {
    guard !writing.isEmpty else { return try await connection.query(reading).first.map(document) }
    do {
      return try await connection.change(by: person, dryRun: dryRun) { transaction in
        try await transaction.pipeline(writing.map(\.statement) + [reading]).last?.first.map(document)
      }
    } catch let error as PostgresError {
      throw RefusedChange(error, of: writing) ?? error
    }
  }
}

extension RawJSON {
  init(_ bool: Bool?) { self = bool.map { RawJSON($0 as Bool) } ?? .null }
  init(_ number: Int?) { self = number.map { RawJSON($0 as Int) } ?? .null }
  init(_ text: String?) { self = text.map { RawJSON($0 as String) } ?? .null }
}

extension PreferenceStore {
  /// A person's preferences for an app after the change; `nil` if the person is gone.
  /// - Throws: ``RefusedChange`` if the app's own table does not take it.
  package func personal(
    of person: Person, app: App, changing changes: PersonalChanges = PersonalChanges(), at now: Date,
    dryRun: Bool = false
  ) async throws -> RawJSON? {
    var language: Assignment?
    if let tag = changes.language {
      language = try await LanguageColumn(of: app.profile.preferences.table, in: connection).assignment(of: tag)
    }
    let statements = changes.statements(for: person, app: app, language, at: now)
    return try await connection.explaining("users", Self.columnsOfUsers) {
      try await document(
        of: person, after: statements, .personal(of: person, app: app), dryRun: dryRun
      ) { row in try RawJSON(object: row.preferences(of: app)) }
    }
  }

  /// The columns of FeedbackKit's own server; `"mayLack"` of `functions.json` says what their lack costs.
  private static let columnsOfUsers = ["is_admin", "notify_new_feedback", "notify_new_comments", "updated_at"]
}

extension PersonalChanges {
  /// The statements that write the columns of `users` and a row of the app's own or the shared table.
  func statements(for person: Person, app: App, _ language: Assignment? = nil, at now: Date) -> [Writing] {
    let preferences = app.profile.preferences
    var own = deliveryPolicy + [language].compactMap(\.self)
    own.set(preferences.sound, sound)
    own.set(preferences.systemSummaries, summaryNotifications)
    own.set("max_analyses_per_hour", maxAnalysesPerHour)
    own.set("fallback_strategy", fallbackStrategy.map { $0?.rawValue })
    var main: [Assignment] = []
    main.set(preferences.masterSwitch, isEnabled)
    main.set("notify_new_feedback", emails.newFeedback)
    main.set("notify_new_comments", emails.newComments)
    let columns = Set(app.profile.kinds.compactMap(\.preference.column))
    main.set(switches.filter { columns.contains($0.key) })
    let members = switches.filter { !columns.contains($0.key) }
    if !members.isEmpty { main.append(.switches(members)) }
    return [
      preferences.hasSwitchesInUsers ? update(main, of: person, at: now) : nil,
      upsert(preferences.hasSwitchesInUsers ? own : own + main, of: person, in: app, at: now),
      unreadReminders.map { Writing(statement: .turnUnread(on: $0, for: person, app, at: now)) },
      liveActivities.map { Writing(statement: .turnActivities(on: $0, for: person, app, at: now)) },
      liveActivities == true && app.profile.activity != nil
        ? Writing(statement: .noteOpenings(for: person, app, at: now)) : nil,
    ].compactMap(\.self)
  }

  private func update(_ columns: [Assignment], of person: Person, at now: Date) -> Writing? {
    guard !columns.isEmpty else { return nil }
    let values = columns.map { column -> SQL in "\(identifier: column.column) = \(column.value)" }
    return Writing(
      statement: "UPDATE users SET \(.list(values)), updated_at = \(now) WHERE id = \(person.id)", ownTable: "users")
  }

  private func upsert(_ columns: [Assignment], of person: Person, in app: App, at now: Date) -> Writing? {
    guard !columns.isEmpty else { return nil }
    let preferences = app.profile.preferences
    var keys = [Assignment(column: "user_id", value: "u.id")]
    if preferences.isShared { keys.set("app", app.rawValue as String?) }
    return Writing(
      statement: .upsert(
        preferences.table, keys, columns + [.time(now)], "FROM users u WHERE u.id = \(person.id) FOR KEY SHARE"),
      ownTable: preferences.isShared ? nil : preferences.table)
  }
}

extension SQL {
  /// All values of one answer; those that FeedbackKit's own server keeps, for it alone.
  fileprivate static func personal(of person: Person, app: App) -> SQL {
    let preferences = app.profile.preferences
    let analyses: SQL =
      preferences.limitsAnalyses
      ? "s.max_analyses_per_hour, s.fallback_strategy"
      : "NULL::integer AS max_analyses_per_hour, NULL AS fallback_strategy"
    let user: SQL =
      preferences.hasSwitchesInUsers
      ? """
      u.email, u.name, coalesce(u.is_admin, false) AS is_admin, push_is_verified(to_jsonb(u)) AS is_email_verified,
        (to_jsonb(u) ->> 'created_at')::timestamptz AS created_at,
        coalesce(u.notify_new_feedback, true) AS notify_new_feedback,
        coalesce(u.notify_new_comments, true) AS notify_new_comments,
      """ : ""
    return """
      SELECT u.id, \(user)
        \(preferences.isEnabled) AS is_enabled, \(.switches(of: app)) AS switches,
        coalesce(s.quiet_hours_enabled, false) AS is_quiet,
        to_char(date '2000-01-01' + coalesce(s.quiet_hours_start, '22:00'), 'HH24:MI') AS quiet_start,
        to_char(date '2000-01-01' + coalesce(s.quiet_hours_end, '08:00'), 'HH24:MI') AS quiet_end,
        s.quiet_hours_days::text AS quiet_days, s.timezone, nullif(s.language::text, '') AS language,
        s.hourly_limit,
        coalesce(s.\(identifier: preferences.sound), 'default') AS sound,
        coalesce(s.haptic_feedback, true) AS haptic_feedback, coalesce(s.critical_alerts, false) AS critical_alerts,
        coalesce(s.quiet_hours_summary, \(app.profile.summarizesQuietHours)) AS quiet_hours_summary,
        coalesce(s.\(identifier: preferences.systemSummaries), true) AS summary_notifications, \(analyses),
        \(.wantsUnread(of: "u.id", app)) AS unread_reminders,
        \(.wantsActivities(of: "u.id", in: "\(app.rawValue)")) AS live_activities,
        (SELECT min(h.held_until) FROM held_notifications h WHERE h.user_id = u.id AND h.app = \(app.rawValue))
          AS next_held
      FROM users u
      \(preferences.join(of: app, user: "u.id"))
      WHERE u.id = \(person.id)
      """
  }
}

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
  fileprivate func effective(
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
  fileprivate func members(_ values: [String: Bool]) -> [(String, RawJSON)] {
    map { ($0.name, RawJSON(values[$0.column])) }
  }
}

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
    let writing = voteCast.map { value in
      Writing(
        statement: """
          UPDATE event_proposals p SET \(Self.ofProposal) = \(value as Bool?), updated_at = \(now) WHERE \(mine)
          """, ownTable: "event_proposals")
    }
    let reading: SQL = """
      SELECT p.id AS proposal_id, p.created_by AS user_id, p.\(Self.ofProposal) AS of_proposal, \(.ofGroup)
      FROM event_proposals p \(.preferences(ofGroup: "p.group_id", user: "p.created_by"))
      WHERE \(mine)
      """
    return try await document(of: person, after: [writing].compactMap(\.self), reading, dryRun: dryRun) { row in
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
