import Glibc
import RunnerTestSupport
import System
import TestSupport
import Testing

/// Links in the place of what a runner writes: nothing is written where they lead.
@Suite(.heavy)
struct LinkTests {
  private static let timeLimit = Duration.seconds(120)

  /// Puts a link into the project, to a folder with one file.
  private func link(_ name: String, in project: String) throws -> String {
    let target = "\(project)/elsewhere"
    try Folder.make(target, mode: 0o700)
    try TextFile.replace("\(target)/kept", with: "kept")
    if name != ".runner" { try Folder.make("\(project)/.runner", mode: 0o700) }
    try #require(symlink(target, "\(project)/\(name)") == 0)
    return target
  }

  private func writeManifest(_ project: String) throws {
    try TextFile.replace("\(project)/functions.json", with: #"{"functions":{},"services":{"phones":{}}}"#)
  }

  @Test(arguments: [".runner", ".runner/runs", ".runner/phones"], ["", "postgresql://127.0.0.1:1/none"])
  func aFolderThatIsALinkIsRefusedBeforeAnythingIsWritten(_ name: String, _ database: String) async throws {
    try await withProject { project in
      try writeManifest(project)
      let target = try link(name, in: project)

      let outcome = try await BuiltExecutables.run(
        "runner", ["serve", "--port", "0", "--wait", "0", "--project", project],
        environment: ["DATABASE_URL": database], timeout: Self.timeLimit)

      #expect(outcome.exit == 78 && outcome.stderr.contains("\(project)/\(name) is not a folder"), "\(outcome)")
      #expect(Folder.names(in: target) == ["kept"])
      #expect(name == ".runner" || Folder.names(in: "\(project)/.runner").count == 1)
    }
  }

  /// The leftovers of runners that were killed are looked for, and their records deleted.
  @Test func endingDeletesNothingWhereALinkLeads() async throws {
    try await withProject { project in
      try writeManifest(project)
      let target = try link(".runner/runs", in: project)

      let outcome = try await BuiltExecutables.run("runner", ["down", "--project", project], timeout: Self.timeLimit)

      #expect(outcome.exit == 78 && outcome.stderr.contains("is not a folder"), "\(outcome)")
      #expect(Folder.names(in: target) == ["kept"])
    }
  }

  @Test(.enabled(if: geteuid() != 0, "Not run: root's database has a link there."))
  func aDatabaseIsNotMadeWhereALinkLeads() async throws {
    try await withProject { project in
      try TextFile.replace("\(project)/functions.json", with: #"{"functions":{}}"#)
      let target = try link(".runner/postgres", in: project)

      let outcome = try await BuiltExecutables.run(
        "runner", ["serve", "--port", "0", "--project", project], timeout: Self.timeLimit)

      #expect(outcome.exit != 0 && outcome.stderr.contains("is not a folder"), "\(outcome)")
      #expect(Folder.names(in: target) == ["kept"])
    }
  }

  @Test func aFolderThatIsNamedMayBeALink() async throws {
    try await withProject { project in
      try writeManifest(project)
      let target = try link("state", in: project)

      // It comes as far as the database.
      let outcome = try await BuiltExecutables.run(
        "runner",
        ["serve", "--port", "0", "--wait", "0", "--project", project, "--state-dir", "\(project)/state"],
        environment: ["DATABASE_URL": "postgresql://127.0.0.1:1/none"], timeout: Self.timeLimit)

      #expect(outcome.exit == 75, "\(outcome)")
      #expect(Folder.names(in: target).contains("log.ndjson"))
    }
  }

  @Test func filesThatAreLinksAreReplacedOrLeft() async throws {
    try await withProject { project in
      try TextFile.replace("\(project)/functions.json", with: #"{"functions":{}}"#)
      let kept = "\(project)/kept"
      try TextFile.replace(kept, with: "kept")
      try Folder.make("\(project)/.runner", mode: 0o700)
      for name in ["log.ndjson", "log.1.ndjson", "runner.json", "database-url"] {
        try #require(symlink(kept, "\(project)/.runner/\(name)") == 0)
      }

      let program = try RunningProgram("runner", ["serve", "--port", "0", "--project", project])
      try await program.line(within: Self.timeLimit) { $0.contains(#""message":"Serving""#) }
      program.send(SIGTERM)

      #expect(try await program.exit(within: Self.timeLimit) == 0)
      #expect(TextFile.read(kept) == "kept")
    }
  }

  @Test(arguments: ["serving.lock", "postgres-starting.lock", "postgres-using.lock"])
  func aLockThatIsALinkIsRefused(_ name: String) async throws {
    try await withProject { project in
      try TextFile.replace("\(project)/functions.json", with: #"{"functions":{}}"#)
      let kept = "\(project)/kept"
      try TextFile.replace(kept, with: "kept")
      try Folder.make("\(project)/.runner", mode: 0o700)
      try #require(symlink(kept, "\(project)/.runner/\(name)") == 0)

      let outcome = try await BuiltExecutables.run(
        "runner", ["serve", "--port", "0", "--project", project], timeout: Self.timeLimit)

      #expect(outcome.exit == 70, "\(outcome)")
      #expect(TextFile.read(kept) == "kept")
    }
  }
}
