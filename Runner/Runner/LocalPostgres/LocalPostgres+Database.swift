import Postgres

extension LocalPostgres {
  /// Makes the functions' database unless it is there; the proof, too, that the server answers.
  ///
  /// A server that was adopted may be recovering from a crash: that is waited for.
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
}
