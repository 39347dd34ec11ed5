import Documents
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive

extension PersonSummary {
  /// Finds a person by id or e-mail address; `nil` only if `name` is.
  /// - Throws: ``FunctionError/Code/noInput`` if nobody is registered with it.
  static func find(_ name: String?, _ transaction: Transaction) async throws -> PersonSummary? {
    guard let name else { return nil }
    let rows = try await transaction.query(
      """
      SELECT u.id, u.name, u.email FROM users u
      WHERE u.id = push_uuid(\(name)) OR lower(u.email) = lower(\(name)) ORDER BY u.email = \(name) DESC, u.id LIMIT 1
      """)
    guard let row = rows.first else {
      throw FunctionError(.noInput, "Nobody is registered as \(name); give an e-mail address or an id.")
    }
    return PersonSummary(id: try row.id("id"), name: row["name"], email: row["email"])
  }

  /// From the columns `user_id, name, email, zone`.
  init(_ row: Row) throws(PostgresError) {
    self.init(id: try row.id("user_id"), name: row["name"], email: row["email"], timeZone: row["zone"])
  }
}

extension Row {
  func id(_ column: String) throws(PostgresError) -> RowID { RowID(uuid: try decode(column)) }

  func optionalID(_ column: String) throws(PostgresError) -> RowID? { try optional(column).map(RowID.init(uuid:)) }
}

extension SQL {
  /// The time zone in a person's settings of an app; NULL if none is set.
  static func zone(of user: SQL, in app: SQL) -> SQL {
    let cases: SQL = App.allCases.reduce("") { cases, known in
      """
      \(cases) WHEN \(known.rawValue) THEN (
        SELECT s.timezone FROM (SELECT) AS one \(known.profile.preferences.join(of: known, user: user)))
      """
    }
    return "(CASE \(app)\(cases) END)"
  }
}
