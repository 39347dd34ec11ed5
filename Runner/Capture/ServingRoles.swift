import Manifest
import Postgres

/// The roles that own nothing and serve: each may do what a runner and the functions need.
struct ServingRoles<Database: SQLExecutor> {
  /// The rights that a role lacks.
  struct Change {
    let role: String
    let statements: [String]
  }

  private let needed: NeededRights<Database>
  private let database: Database

  init(_ needed: NeededRights<Database>, in database: Database) {
    (self.needed, self.database) = (needed, database)
  }

  /// The rights that `role` lacks, and those that roles lack which were let in before.
  ///
  /// - Throws: `MigrationError` if `role` must not be let in.
  func changes(granting role: String?) async throws -> [Change] {
    var changes: [Change] = []
    let earlier = try await earlier()
    if let role {
      if let refusal = try await needed.refusal(of: role) { throw MigrationError("\(refusal). Nothing was changed.") }
      let note = earlier.contains(role) ? [] : [Self.note(role)]
      changes.append(Change(role: role, statements: try await needed.all(role) + note))
    }
    for name in earlier where name != role {
      changes.append(Change(role: name, statements: try await needed.all(name)))
    }
    return changes.filter { !$0.statements.isEmpty }
  }

  /// Grants it, and answers with the statements.
  ///
  /// - Throws: `MigrationError` where PostgreSQL grants less, of which it only warns.
  func letIn(_ role: String?) async throws -> [String] {
    let changes = try await changes(granting: role)
    for change in changes {
      try await database.script(change.statements.map { "\($0);" }.joined(separator: "\n"))
      if let rest = try await needed.all(change.role).first {
        throw MigrationError(
          """
          The database's role may not grant \(change.role) all that it needs, and nothing was changed: run "runner migrate" \
          as the owner of what it lacks (\(rest)).
          """)
      }
    }
    return changes.flatMap { $0.statements.filter { !$0.hasPrefix("INSERT ") } }
  }

  /// The roles that were let in, and may still use the runner's schema; none where others grant.
  private func earlier() async throws(PostgresError) -> [String] {
    try await database.query(
      """
      SELECT k.name FROM runner.roles AS k JOIN pg_roles AS r ON r.rolname = k.name
      JOIN pg_namespace AS n ON n.nspname = 'runner'
      WHERE pg_has_role(n.nspowner, 'USAGE') AND has_schema_privilege(r.oid, n.oid, 'USAGE')
      ORDER BY k.name
      """
    ).decode("name")
  }

  private static func note(_ role: String) -> String {
    "INSERT INTO runner.roles (name) VALUES (\(literal(role))) ON CONFLICT DO NOTHING"
  }
}
