import CLI
import Capture
import Manifest
import Postgres

extension DoctorCommand {
  /// Whether the runner's role and that of functions, which may be another one, may do what they have to.
  ///
  /// - Returns: also whether the runner's is enough for the checks to come.
  func rights(_ database: Connection) async throws -> (findings: [Finding], areEnough: Bool) {
    let runner = try await Self.role(database)
    let needed = try await NeededRights(of: project.manifest, in: database)
    let other = try await ofFunctions(needed)
    let functions = other?.role ?? runner
    let blindness = if let other { other.blindness } else { try await needed.blindness(of: database) }
    let ofRunner = try await needed.ofRunner(runner)
    let ofFunctions = try await needed.ofFunctions(functions)
    let blind = blindness.map { [Finding.missing("rights", "\($0)")] } ?? []
    let missing = [ofRunner, ofFunctions].flatMap { Self.findings($0, Finding.missing) } + blind
    let warnings = Self.findings(try await needed.ofPrivateTables(functions), Finding.warning)
    let roles = runner == functions ? runner : "\(runner) and \(functions)"
    guard missing.isEmpty, warnings.isEmpty else { return (missing + warnings, ofRunner.statements.isEmpty) }
    return ([.ok("rights", "\(roles) may do what the runner and the functions do")], true)
  }

  /// A line for each statement, and how all of them are run at once.
  private static func findings(_ rights: MissingRights, _ finding: (String, String) -> Finding) -> [Finding] {
    rights.statements.map { finding("rights", "\(rights.role) lacks: \($0)") }
      + (rights.statements.isEmpty
        ? [] : [finding("rights", "all at once, as the role that migrates: runner migrate --grant \(rights.role)")])
  }

  private static func role(_ database: Connection) async throws(PostgresError) -> String {
    try await database.query("SELECT current_user AS role").only().decode("role")
  }

  /// The role of functions, and what keeps it from seeing rows; nil if functions connect as the runner does.
  private func ofFunctions(_ needed: NeededRights<Connection>) async throws -> (role: String, blindness: Blindness?)? {
    let url = try project.functionDatabaseURL()
    guard try url != project.databaseURL() else { return nil }
    return try await context.withDatabase(url: url, named: "runner doctor") { database in
      (try await Self.role(database), try await needed.blindness(of: database))
    }
  }
}
