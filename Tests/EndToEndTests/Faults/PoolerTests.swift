import FunctionKit
import TestSupport
import Testing

/// A pooler between the runner and the database.
@Suite(.startsProcesses)
struct PoolerTests {
  /// What `runner doctor` finds out about the database.
  private func diagnosis(of url: String) async throws -> (ok: Bool, detail: String, exit: Int32) {
    let runner = try await RunningRunner(#"{"functions":{"echo":{}}}"#, database: url)
    _ = try await runner.run(["migrate"])
    let outcome = try await runner.run(["doctor", "--json"])
    let findings = try RawJSON(validating: Array(outcome.stdout.utf8)[...]).elements ?? []
    let finding = try #require(findings.first { $0["check"]?.stringValue == "database" })
    return (
      finding["ok"].map { String(decoding: $0.bytes, as: UTF8.self) } == "true", finding["detail"]?.stringValue ?? "",
      outcome.exit
    )
  }

  @Test(arguments: [1, 2, 5]) func doctorSaysThatAPoolerTakesItsSessionsAway(_ sessions: Int) async throws {
    let pooler = try TransactionPooler(to: try await TemporaryPostgres.database(), sessions: sessions)

    let diagnosis = try await diagnosis(of: pooler.pooledURL)

    #expect(!diagnosis.ok)
    #expect(diagnosis.detail.contains("transaction mode"))
    #expect(diagnosis.exit == 78)
  }

  @Test func doctorHasNothingToSayOfTheServerItselfNorOfASimpleProxy() async throws {
    let url = try await TemporaryPostgres.database()
    let link = try DatabaseLink(to: url)

    for url in [url, link.linkedURL] {
      let diagnosis = try await diagnosis(of: url)
      #expect(diagnosis.ok)
      #expect(diagnosis.exit == 0)
    }
  }

  @Test func serveWarnsOfIt() async throws {
    let pooler = try TransactionPooler(to: try await TemporaryPostgres.database())
    let project = try TemporaryDirectory()
    try project.write(#"{"functions":{"echo":{}}}"#, to: "functions.json")

    let program = try RunningProgram(
      "runner", ["serve", "--migrate", "--port", "0", "--project", project.path],
      environment: ["DATABASE_URL": pooler.pooledURL])

    try await program.line { $0.contains(#""level":"warning""#) && $0.contains("transaction mode") }
  }
}
