import Foundation
import Postgres
import TestSupport
import Testing

/// A runner of the version before the last change of the schema beside one of today, while the schema is migrated.
///
/// `Tests/run` builds the older version once and keeps it; without the project's history there is none to build.
@Suite(
  .startsProcesses, .enabled(if: OlderVersion.folder != nil, "Tests/run builds the older version from git's history."))
struct UpgradeTests {
  private static let manifest = Ledger.manifest(
    Ledger.function("ledger"),
    #"""
    "vote-cast":{"triggers":[{"table":"votes","events":["INSERT"]}],"key":"feedback_id","environment":["DATABASE_URL"]}
    """#)

  /// Each row concerns one of eight feedbacks.
  private func writers(_ url: String) -> [Writer] {
    (0..<4).map { number in
      Writer(number, url: url) { n, _ in
        [
          """
          INSERT INTO votes (feedback_id, user_id)
          SELECT id, \("n\(n)") FROM feedbacks ORDER BY id OFFSET \(n % 8) LIMIT 1 ON CONFLICT DO NOTHING
          """
        ]
      }
    }
  }

  @Test func nothingIsLostOrToldTwiceOrRefused() async throws {
    let older = try OlderVersion()
    let runner = try await RunningRunner.withLedgers(Self.manifest, scripts: ["ledger": Ledger.script("ledger")])
    let project = "\(runner.project.path)/older"
    try FileManager.default.createDirectory(atPath: project, withIntermediateDirectories: true)
    try runner.project.write(older.manifest(Self.manifest), to: "older/functions.json")
    try runner.project.write("#!/bin/sh\ncd .. && exec ./ledger.sh\n", to: "older/ledger.sh", mode: 0o700)
    let before = try await older.serve(project, on: runner.databaseURL)
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))

    try await writing(writers(runner.databaseURL)) {
      try await runner.wait(for: "ledger") { $0.entries.count > 100 }
      let check = try await runner.run(["migrate", "--check"])
      #expect(check.exit == 75)
      let migration = try await runner.run(["migrate"])
      #expect(migration.exit == 0)
      let count = try Ledger("ledger", of: runner).entries.count
      try await runner.wait(for: "ledger") { $0.entries.count > count + 100 }

      let after = try await runner.start(migrates: false)
      try await after.program.line { $0.contains("Partitions taken") }
      let shared = try Ledger("ledger", of: runner).entries.count
      try await runner.wait(for: "ledger") { $0.entries.count > shared + 100 }
      before.send(SIGTERM)
      #expect(try await before.exit() == 0)

      // A runner of the version before may even be started again.
      let again = try await older.serve(project, on: runner.databaseURL)
      again.send(SIGTERM)
      #expect(try await again.exit() == 0)
    }
    try await runner.waitUntilEmpty()

    let ledger = try Ledger("ledger", of: runner)
    let written = try await runner.database.query("SELECT number FROM entries").decode("number", as: Int.self)
    #expect(ledger.numbers == Set(written))
    #expect(ledger.entries.count == written.count)
    #expect(ledger.misplaced().isEmpty)
    let twice = try await runner.database.query(
      "SELECT FROM notifications GROUP BY user_id, type, source_event_id HAVING count(*) > 1")
    #expect(twice.isEmpty)
    #expect(try await runner.database.query("SELECT FROM runner.dead_letters").isEmpty)
    let failed = try await runner.database.query(
      "SELECT concat_ws(' ', function, code, error) AS line FROM runner.history WHERE code <> 'OK'")
    #expect(failed.map { $0["line"] ?? "" } == [])
  }
}

/// The version before the last change of the schema: a checkout with what was built in it.
private struct OlderVersion {
  static let folder = getenv("PUSH_FUNCTIONS_OLDER").map { String(cString: $0) }

  private let folder: String

  init() throws { folder = try #require(Self.folder) }

  /// The text of a `functions.json` with its own migrations.
  func manifest(_ text: String) -> String {
    text.replacing("{\"functions\"", with: "{\"migrations\":[\"\(folder)/Shared/Schema/apps\"],\"functions\"")
  }

  /// Starts its `runner serve`, and waits until it serves.
  func serve(_ project: String, on database: String) async throws -> RunningProgram {
    let program = try RunningProgram(
      "\(folder)/.build/release/runner",
      ["serve", "--port", "0", "--project", project, "--migrate", "--no-services", "--emulator"],
      environment: ["DATABASE_URL": database])
    try await program.line { $0.contains(#""message":"Serving""#) }
    return program
  }
}
