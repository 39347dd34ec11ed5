import CLI
import FoundationEssentials
import FunctionKit
import Postgres

/// Reads whom functions have told of what, in a database where they write that down.
struct ToldPeople {
  /// What was decided about one person.
  struct Line: Encodable {
    var time: Date
    var function: String
    var person: String
    var kind: String
    /// `notify`, `hold`, `merge`, `summarize` or `suppress`.
    var decision: String
    var reason: String?
    var title: String?

    var text: String {
      let what = [title.map { "\"\($0)\"" }, "(\(kind))"].compactMap(\.self).joined(separator: " ")
      let why = reason.map { ": \($0)" } ?? ""
      let done =
        switch decision {
        case "notify": "told \(person) \(what)"
        case "merge": "told \(person) with others \(what)"
        case "summarize": "told \(person) \(what) in one push with others after quiet hours"
        case "hold": "holds for \(person) \(what)\(why)"
        default: "did not tell \(person) \(what)\(why)"
        }
      return "\(TimeText.of(time))  \(function)  \(done)"
    }
  }

  private let database: Connection
  private let isThere: Bool
  private let withOthers: Bool
  private var since: Date

  /// - Parameter withOthers: whether people are wanted, too, who were not told.
  init(_ database: Connection, after since: Date, withOthers: Bool) async throws(PostgresError) {
    (self.database, self.since, self.withOthers) = (database, since, withOthers)
    isThere = try await database.query(
      """
      SELECT count(to_regclass(t)) = 4 AS found
      FROM unnest(ARRAY['decisions', 'notification_rechecks', 'notifications', 'users']) AS t
      """
    ).only().decode("found")
  }

  /// What was decided since the last time, up to an instant by which everything is done.
  mutating func next(through now: Date) async throws(PostgresError) -> [Line] {
    guard isThere, now > since else { return [] }
    let rows = try await database.query(
      """
      SELECT d.created_at AS time, d.function, coalesce(to_jsonb(u) ->> 'name', d.user_id::text) AS person, d.kind,
        d.decision, d.reason, n.title
      FROM (
        SELECT created_at, function, user_id, kind, decision, reason, notification_id FROM decisions
        WHERE created_at > \(since) AND created_at <= \(now)
        UNION ALL
        SELECT r.created_at, 'digest', n.user_id, n.type, r.decision, r.reason, n.id
        FROM notification_rechecks AS r JOIN notifications AS n ON n.id = r.notification_id
        WHERE r.created_at > \(since) AND r.created_at <= \(now)
      ) AS d
      LEFT JOIN users AS u ON u.id = d.user_id LEFT JOIN notifications AS n ON n.id = d.notification_id
      WHERE \(withOthers) OR d.decision <> 'suppress' ORDER BY d.created_at, person
      """)
    since = now
    return try rows.map { row throws(PostgresError) in
      Line(
        time: try row.decode("time"), function: try row.decode("function"), person: try row.decode("person"),
        kind: try row.decode("kind"), decision: try row.decode("decision"), reason: row["reason"], title: row["title"])
    }
  }
}
