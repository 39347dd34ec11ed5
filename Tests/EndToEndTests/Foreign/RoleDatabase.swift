import Postgres
import TestSupport

/// A database and the two who connect to it: its owner, who migrates, and the role that serves.
struct RoleDatabase: Sendable {
  let owner: String
  let role: String

  /// Runs `runner migrate` as its owner.
  func migrate(_ runner: RunningRunner, _ options: [String] = []) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run(
      "runner", ["migrate", "--project", runner.project.path] + options, environment: ["DATABASE_URL": owner])
  }

  /// Gives the role what serving needs.
  func letRoleIn(_ runner: RunningRunner) async throws {
    let outcome = try await migrate(runner, ["--grant", RoleServer.role])
    guard outcome.exit == 0 else { throw ProgramFailure(description: outcome.stderr) }
  }
}

extension RoleServer {
  // All tests share them: roles belong to a server, and each test makes a database of its own.
  private static let plainServer = Task { try await RoleServer.plain.start() }
  private static let supabaseServer = Task { try await RoleServer.supabase.start() }

  private func start() async throws -> PrivateCluster {
    let cluster = try await PrivateCluster(settings: "max_connections = 300")
    let connection = Connection(url: cluster.url(), applicationName: "test")
    try await connection.script("\(roles); CREATE ROLE \(Self.role) LOGIN")
    await connection.close()
    return cluster
  }

  /// Makes an empty database, as servers of this kind have them.
  func makeDatabase(_ name: String) async throws -> RoleDatabase {
    let cluster = try await (self == .plain ? Self.plainServer : Self.supabaseServer).value
    let server = Connection(url: cluster.url(), applicationName: "test", statementTimeout: .seconds(120))
    try await server.script("CREATE DATABASE \(name)")
    await server.close()
    let owner = cluster.url(database: name)
    if let script {
      let connection = Connection(url: owner, applicationName: "test")
      try await connection.script(try House.text("Tests/FunctionTests/Databases/\(script).sql"))
      await connection.close()
    }
    let role = owner.replacing("user=postgres", with: "user=\(Self.role)")
    guard role != owner else { throw ProgramFailure(description: "\(owner) has no place for \(Self.role)") }
    return RoleDatabase(owner: owner, role: role)
  }
}
