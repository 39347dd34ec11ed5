import Postgres
import TestSupport
import Testing

@Suite(.heavy)
struct TestSupportTests {
  @Test func aTemplateIsMigratedOnceAndCloned() async throws {
    let runs = Runs()
    let migrate: @Sendable (String) async throws -> Void = { url in
      await runs.add()
      try await Connection(url: url, applicationName: "migration").script("create table migrated ()")
    }

    let urls = try await withThrowingTaskGroup { group in
      for _ in 1...4 { group.addTask { try await TemporaryPostgres.database(migrated: migrate, named: "once") } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }

    #expect(urls.count == 4)
    #expect(await runs.count == 1)
  }

  @Test func aProgramsOutputAndStatusAreReturned() async throws {
    let outcome = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "cat; echo \"$NAME\" >&2; exit 3"], stdin: "in", environment: ["NAME": "value"])

    #expect(outcome.stdout == "in")
    #expect(outcome.stderr == "value\n")
    #expect(outcome.exit == 3)
  }

  @Test func aProgramThatDoesNotEndIsKilledWithItsChildren() async throws {
    let outcome = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "echo begun; sleep 60; true"], timeout: .milliseconds(100))

    #expect(outcome.exit == 128 + 9)
  }

  @Test func aProgramThatIsNotThereIsAnError() async throws {
    await #expect(throws: SystemError.self) { _ = try await BuiltExecutables.run("no-such-program") }
  }

  private actor Runs {
    var count = 0
    func add() { count += 1 }
  }
}
