import FoundationEssentials
import FunctionKit
import Glibc
import RunnerTestSupport
import TestSupport
import Testing

@testable import Lifecycle
@testable import LocalPostgres
@testable import Runner
@testable import System

/// `runner status`, `down` and `reset`, and what deleted checkouts leave.
@Suite(.heavy)
struct UpkeepTests {
  private static let timeLimit = Duration.seconds(120)

  private func run(_ words: String..., in project: String, environment: [String: String] = [:]) async throws
    -> BuiltExecutables.Outcome
  {
    try await BuiltExecutables.run(
      "runner", words + ["--project", project], environment: environment, timeout: Self.timeLimit)
  }

  private func serve(_ project: String) async throws -> RunningProgram {
    try TextFile.replace("\(project)/functions.json", with: #"{"functions":{}}"#)
    let program = try RunningProgram("runner", ["serve", "--port", "0", "--project", project])
    try await program.line(within: Self.timeLimit) { $0.contains(#""message":"Serving""#) }
    return program
  }

  /// A server that nobody uses, as a runner leaves it that was killed together with its guard.
  private func abandonServer(_ project: String) async throws -> Postmaster {
    try TextFile.replace(
      "\(project)/functions.json", with: #"{"functions":{},"services":{"phones":{"arguments":["{state}"]}}}"#)
    _ = try await LocalPostgres.start(project: project, limit: Self.timeLimit)
    return try #require(Postmaster.running(in: ClusterLayout(project: project).data))
  }

  @Test func statusSaysWhatRunsAndDownEndsIt() async throws {
    try await withProject { project in
      let program = try await serve(project)
      let data = try ClusterLayout(project: project).data
      let server = try #require(Postmaster.running(in: data))

      let status = try await run("status", in: project)
      let document = try RawJSON(validating: Array(try await run("status", "--json", in: project).stdout.utf8)[...])
      let down = try await run("down", in: project)
      let (after, again) = (try await run("status", in: project), try await run("down", in: project))

      #expect(status.exit == 0 && status.stderr.isEmpty)
      #expect(status.stdout.contains("serving at http://127.0.0.1:"))
      #expect(status.stdout.contains("waiting     0 events, 0 to be retried, 0 dead letters"))
      #expect(document["runner"]?["process"]?.intValue == Int(program.processID))
      #expect(document["database"]?["process"]?.intValue == Int(server.process))
      #expect(down.exit == 0)
      #expect(
        down.stdout
          == "ended the runner, process \(program.processID)\nended PostgreSQL, process \(server.process)\n")
      #expect(try await program.exit(within: Self.timeLimit) == 0)
      #expect(Postmaster.running(in: data) == nil)
      #expect(after.exit == 69 && after.stdout.contains("not serving"))
      #expect(again.exit == 0 && again.stdout == "Nothing of \(project) runs.\n")
    }
  }

  @Test func downEndsTheServerThatAKilledRunnerLeft() async throws {
    try await withProject { project in
      let server = try await abandonServer(project)

      let down = try await run("down", in: project)

      #expect(down.exit == 0 && down.stdout == "ended PostgreSQL, process \(server.process)\n")
      #expect(!server.isRunning)
    }
  }

  @Test func aMigrationEndsTheServerThatItHasStartedAlsoWhereItFails() async throws {
    try await withProject { project in
      let data = try ClusterLayout(project: project).data
      try TextFile.replace("\(project)/functions.json", with: #"{"migrations":["shop"],"functions":{}}"#)
      try Folder.make("\(project)/shop", mode: 0o700)
      for (statement, exit) in [("CREATE TABEL orders (id int)", 78), ("CREATE TABLE orders (id int)", 0)] {
        try TextFile.replace("\(project)/shop/0001_orders.sql", with: "\(statement);\n")

        let migration = try await run("migrate", in: project)

        #expect(migration.exit == exit, "\(migration)")
        #expect(Postmaster.running(in: data) == nil, "\(statement)")
      }
      let next = try await LocalPostgres.start(project: project, limit: Self.timeLimit)
      #expect(!next.adopted)
      #expect(try await next.stop() == .stopped)
    }
  }

  @Test func downLeavesTheServerToAnotherRunner() async throws {
    try await withProject { project in
      let server = try await abandonServer(project)
      let other = try await LocalPostgres.start(project: project, limit: Self.timeLimit)

      let down = try await run("down", in: project)
      let reset = try await run("reset", "--yes", in: project)

      #expect(down.exit == 75 && down.stderr.contains("another runner of this folder uses it"))
      #expect(reset.exit == 75 && server.isRunning)
      _ = try await other.stop()
    }
  }

  @Test func resetDeletesTheDatabaseAndWhatServicesKeepOnlyWhenItIsSure() async throws {
    try await withProject { project in
      let server = try await abandonServer(project)
      try Folder.make("\(project)/.runner/phones", mode: 0o700)
      try TextFile.replace("\(project)/.runner/log.ndjson", with: "{}\n")
      let home = try ClusterLayout(project: project).home

      let unsure = try await run("reset", in: project)
      #expect(unsure.exit == 64 && unsure.stderr.contains("say --yes"))
      #expect(server.isRunning)
      let sure = try await run(
        "reset", "--yes", in: project, environment: ["DATABASE_URL": "postgresql://127.0.0.1:1/another"])

      #expect(sure.exit == 0)
      #expect(sure.stdout.hasSuffix("deleted \(home)\ndeleted \(project)/.runner/phones\n"))
      #expect(!server.isRunning)
      let paths: [String] = [home, "\(project)/.runner/postgres", "\(project)/.runner/phones"]
      #expect(paths.filter { access($0, F_OK) == 0 } == [])
      #expect(access("\(project)/.runner/log.ndjson", F_OK) == 0)
      #expect(try await run("reset", in: project).stdout.contains("keeps nothing"))
    }
  }

  @Test func resetDeletesWhatServicesKeepInAnotherFolder() async throws {
    try await withProject { project in
      try TextFile.replace("\(project)/functions.json", with: #"{"functions":{},"services":{"phones":{}}}"#)
      let state = "\(project)/elsewhere"
      for folder in [state, "\(state)/phones"] { try Folder.make(folder, mode: 0o700) }

      let reset = try await run("reset", "--yes", "--state-dir", state, in: project)

      #expect(reset.exit == 0 && reset.stdout == "deleted \(state)/phones\n")
      #expect(access("\(state)/phones", F_OK) != 0)
    }
  }

  @Test func aFolderThatLeadsToAnotherProjectsIsLeftAlone() async throws {
    try await withProject { project in
      let server = try await abandonServer(project)
      let other = "\(project) too"
      try Folder.make(other, mode: 0o700)
      try TextFile.replace("\(other)/functions.json", with: #"{"functions":{}}"#)
      symlink("\(project)/.runner", "\(other)/.runner")

      for words in [["status"], ["down"], ["reset", "--yes"]] {
        let outcome = try await BuiltExecutables.run("runner", words + ["--project", other], timeout: Self.timeLimit)
        #expect(outcome.exit == 70 && outcome.stderr.contains("is not a folder"), "\(words)")
      }

      #expect(server.isRunning)
    }
  }

  @Test func aDeletionThatWasBrokenOffIsFinishedByTheNextStart() async throws {
    try await withProject { project in
      let data = try ClusterLayout(project: project).data
      _ = try await LocalPostgres.start(project: project, limit: Self.timeLimit).stop()
      try #require(rename(data, "\(data).gone") == 0)

      _ = try await LocalPostgres.start(project: project, limit: Self.timeLimit).stop()

      #expect(access("\(data)/PG_VERSION", F_OK) == 0 && access("\(data).gone", F_OK) != 0)
    }
  }

  @Test(.enabled(if: geteuid() == 0)) func aFolderThatWasMovedTakesItsDatabaseAlong() async throws {
    try await withProject { project in
      _ = try await LocalPostgres.start(project: project, limit: Self.timeLimit).stop()
      let former = try ClusterLayout(project: project)
      let data = FileIdentity(former.data)
      let moved = "\(project), moved"
      try #require(rename(project, moved) == 0)
      let layout = try ClusterLayout(project: moved)
      defer { try? layout.delete(runtimeDirectory: nil) }

      _ = try await LocalPostgres.start(project: moved, limit: Self.timeLimit).stop()

      #expect(data != nil && FileIdentity(layout.data) == data)
      #expect(access(former.home, F_OK) != 0)
      #expect(!LeftCluster.all().contains { [former.home, layout.home].contains($0.home) })
    }
  }

  @Test func aRunnerWhoseFolderIsGoneIsFoundAndEnded() async throws {
    try await withProject { project in
      let program = try await serve(project)
      #expect(!LeftRunner.all().contains { $0.process == program.processID })
      try FileManager.default.removeItem(atPath: project)

      let left = LeftRunner.all().filter { $0.process == program.processID }
      let ended = try await LeftBehind.end(left, [])

      #expect(left.map(\.project) == [project])
      #expect(ended.map(\.process) == [Int(program.processID)])
      #expect(try await program.exit(within: Self.timeLimit) == 0)
    }
  }

  @Test(.enabled(if: geteuid() == 0)) func aDatabaseWhoseFolderIsGoneIsFoundEndedAndDeleted() async throws {
    try await withProject { project in
      let server = try await abandonServer(project)
      let home = try ClusterLayout(project: project).home
      #expect(!LeftCluster.all().contains { $0.home == home })
      try FileManager.default.removeItem(atPath: project)

      let left = LeftCluster.all().filter { $0.home == home }
      let ended = try await LeftBehind.end([], left)
      #expect(try LeftBehind.delete(left) == [home])

      #expect(left.map(\.project) == [project])
      #expect(ended.map(\.text) == ["ended the PostgreSQL of \(project), process \(server.process)"])
      #expect(access(home, F_OK) != 0 && LeftCluster.all().allSatisfy { $0.home != home })
    }
  }
}
