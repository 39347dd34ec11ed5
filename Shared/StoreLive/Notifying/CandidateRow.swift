package import FoundationEssentials
package import Notifications
package import Postgres

extension Candidate {
  package init(_ row: Row, except actor: Actor, in app: App, at now: Date, _ zones: inout Zones) throws(PostgresError) {
    self.init(
      user: try row.decode("user_id"), subjectID: try row.decode("subject_id"), reason: try row.decode("reason"))
    isActor = actor.accounts.contains(user)
    try read(row, in: app, at: now, &zones)
    if try row.decode("is_gone") { eligibility = .gone }
  }

  /// Reads the person's switches, quiet hours, mutes and limits.
  package mutating func read(_ row: Row, in app: App, at now: Date, _ zones: inout Zones) throws(PostgresError) {
    isEnabled = try row.decode("is_enabled")
    level = row["level"].flatMap(Level.init) ?? .all
    override = try row.optional("override")
    isOverrideOfProposal = try row.optional("is_of_proposal") ?? false
    personal = try row.optional("personal")
    sound = row["sound"]
    allowsCritical = try row.optional("allows_critical") ?? false
    timeZone = row["timezone"]
    language = row["language"].map(Language.init(nearestTo:)) ?? .english
    travel = row["travel_minutes"].flatMap(Int.init).map {
      Travel(minutes: $0, mode: row["travel_mode"], traffic: row["traffic"])
    }
    eligibility = row["eligibility"].flatMap(Eligibility.init) ?? .open
    devices = try row.decode("devices")
    isViewing = try row.decode("is_viewing")
    let profile = app.profile
    hourlyLimit = try row.optional("hourly_limit") ?? profile.hourlyLimit
    wantsQuietSummary = try row.optional("wants_summary") ?? profile.summarizesQuietHours
    mutedUntil = try row.optional("muted_until").flatMap { until in until > now ? until : nil }
    var end = mutedUntil
    if let hours = try QuietHours(row, in: timeZone) {
      let rules = zones.rules(of: timeZone)
      quietHours = hours.current(at: now, in: rules)
      end = hours.end(ifQuietAt: end ?? now, in: rules) ?? end
    }
    quietUntil = end.map { $0.addingTimeInterval(ReleaseJitter.delay(for: user)) }
  }
}

extension RecipientReason: PostgresDecodable {}
