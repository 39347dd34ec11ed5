import FoundationEssentials
import FunctionKit
import Postgres

extension Person {
  /// The person of an id or e-mail address; `nil` only where none is named.
  /// - Throws: ``FunctionError/Code/noInput`` when nobody is registered so.
  static func find(_ name: String?, _ transaction: Transaction) async throws -> Person? {
    guard let name else { return nil }
    let rows = try await transaction.query(
      """
      SELECT u.id, u.name, u.email FROM users u
      WHERE u.id = push_uuid(\(name)) OR lower(u.email) = lower(\(name)) ORDER BY u.email = \(name) DESC, u.id LIMIT 1
      """)
    guard let row = rows.first else {
      throw FunctionError(.noInput, "Nobody is registered as \(name); give an e-mail address or an id.")
    }
    return Person(id: try row.id("id"), name: row["name"], email: row["email"])
  }

  /// From the columns `user_id, name, email, zone`.
  init(_ row: Row) throws(PostgresError) {
    self.init(id: try row.id("user_id"), name: row["name"], email: row["email"], timeZone: row["zone"])
  }
}

extension SQL {
  /// The zone of a person with an app; NULL where nobody said one.
  static func zone(of user: SQL, in app: SQL) -> SQL {
    """
    (SELECT CASE WHEN \(app) = 'lockitin'
      THEN (SELECT p.timezone FROM user_notification_preferences p WHERE p.user_id = \(user))
      ELSE (SELECT s.timezone FROM notification_settings s WHERE s.user_id = \(user) AND s.app = \(app)) END)
    """
  }
}
