import FoundationEssentials
public import Notifications
public import Postgres

extension Candidate {
  init(_ row: Row, except actor: Actor) throws(PostgresError) {
    self.init(
      user: try row.decode("user_id"), subjectID: try row.decode("subject_id"), reason: try row.decode("reason"))
    isActor = actor.accounts.contains(user)
    isEnabled = try row.decode("is_enabled")
    level = row["level"].flatMap(Level.init) ?? .all
    override = try row.optional("override")
    personal = try row.optional("personal")
    sound = try row.optional("sound")
    timeZone = row["timezone"]
    travel = row["travel_minutes"].flatMap(Int.init).map {
      Travel(minutes: $0, mode: row["travel_mode"], traffic: row["traffic"])
    }
    standing = row["standing"].flatMap(Standing.init) ?? .open
    devices = try row.decode("devices")
  }
}

extension RecipientReason: PostgresDecodable {}
