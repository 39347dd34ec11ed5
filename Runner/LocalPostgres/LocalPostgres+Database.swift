import FunctionKit
import Glibc
package import Manifest
import Postgres

extension LocalPostgres {
  /// Creates the functions' database unless it is there, which also proves that the server answers.
  ///
  /// A server that was adopted may be recovering from a crash. This waits for the end of that.
  func makeDatabase(socket: String, deadline: ContinuousClock.Instant) async throws {
    let maintenance = Connection(
      url: "postgresql://\(Self.user)@/postgres?host=\(socket)&port=\(SocketDirectory.port)",
      applicationName: "runner", connectTimeout: .seconds(5), statementTimeout: .seconds(30))
    do {
      try await maintenance.waitForServer(until: deadline)
      let found = try await maintenance.query("SELECT 1 FROM pg_database WHERE datname = \(Self.database)")
      if found.isEmpty { _ = try await maintenance.query("CREATE DATABASE \(unescaped: Self.database)") }
    } catch {
      await maintenance.close()
      throw error
    }
    await maintenance.close()
  }

  /// Runs a command that needs the project's own database, and starts the database for it if no runner serves.
  ///
  /// A database that does not exist is not created.
  package static func lending<Answer>(to project: Project, _ body: () async throws -> Answer) async throws -> Answer {
    let data = try ClusterLayout(project: project.directory).data
    guard project.hasOwnDatabase, access("\(data)/PG_VERSION", F_OK) == 0,
      Postmaster.running(in: data) == nil
    else { return try await body() }
    let postgres = try await start(project: project.directory)
    let answer: Answer
    do { answer = try await body() } catch {
      _ = try? await postgres.stop()
      throw error
    }
    _ = try await postgres.stop()
    return answer
  }
}
