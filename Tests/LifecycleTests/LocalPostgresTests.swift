import FoundationEssentials
import FunctionKit
import Glibc
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import LocalPostgres
@testable import Manifest
@testable import System

@Suite(.heavy)
struct LocalPostgresTests {
  @Test func answersAtTheAddressThatItWritesDown() async throws {
    try await withProject { project in
      let postgres = try await start(project)

      let written = TextFile.read("\(project)/.runner/database-url")
      #expect(written == postgres.url + "\n")
      #expect(try permissions("\(project)/.runner/database-url") == 0o600)
      #expect(try await answer("SELECT current_database()", at: postgres) == "push_functions")
      #expect(try await answer("SHOW fsync", at: postgres) == "on")
      #expect(try await answer("SHOW listen_addresses", at: postgres) == "")
      #expect(try await answer("SHOW server_encoding", at: postgres) == "UTF8")
    }
  }

  @Test func letsNobodyElseAtItsSocketAndItsData() async throws {
    try await withProject { project in
      let postgres = try await start(project)
      let socketDirectory = try await answer("SHOW unix_socket_directories", at: postgres)

      #expect(try permissions(socketDirectory) == 0o700)
      #expect(try permissions(postgres.dataDirectory) == 0o700)
      #expect(try owner(socketDirectory) == owner(postgres.dataDirectory))
      #expect(try owner(socketDirectory) != 0)
    }
  }

  @Test func keepsItsDataBetweenRuns() async throws {
    try await withProject { project in
      let first = try await start(project)
      try await execute("CREATE TABLE kept AS SELECT 'here' AS word", at: first)
      #expect(try await first.stop() == .stopped)
      #expect(TextFile.read("\(project)/.runner/database-url") == nil)

      let second = try await start(project)

      #expect(!second.adopted)
      #expect(try await answer("SELECT word FROM kept", at: second) == "here")
    }
  }

  @Test func aCommandIsLentADatabaseThatNobodyHasStartedAndMakesNone() async throws {
    try await withProject { directory in
      try TextFile.replace("\(directory)/functions.json", with: #"{"functions":{}}"#)
      let project = try Project(directory: directory)
      let address = { TextFile.read("\(directory)/.runner/database-url") }
      #expect(try await LocalPostgres.lending(to: project) { address() } == nil)
      _ = try await start(directory).stop()

      #expect(try await LocalPostgres.lending(to: project) { address() } != nil)

      #expect(address() == nil)
      let served = try await start(directory)
      #expect(try await LocalPostgres.lending(to: project) { address() } == served.url + "\n")
      #expect(try await answer("SELECT 'alive'", at: served) == "alive")
    }
  }

  @Test func aSecondStartAdoptsTheServerAndTheLastToGoStopsIt() async throws {
    try await withProject { project in
      let first = try await start(project)
      let second = try await start(project)

      #expect(second.adopted && !first.adopted)
      #expect(second.postmasterPID == first.postmasterPID && second.url == first.url)
      #expect(try await first.stop() == .leftToAnotherRunner)
      #expect(try await answer("SELECT 'alive'", at: second) == "alive")
      #expect(try await second.stop() == .stopped)
      #expect(Postmaster.running(in: second.dataDirectory) == nil)
    }
  }

  @Test func twoStartsAtOnceMakeOneServer() async throws {
    try await withProject { project in
      async let one = start(project)
      async let other = start(project)
      let both = try await [one, other]

      #expect(both[0].postmasterPID == both[1].postmasterPID)
      #expect(both.count { $0.adopted } == 1)
    }
  }

  @Test func aServerThatWasKilledIsStartedAgainWithAllThatWasCommitted() async throws {
    try await withProject { project in
      let first = try await start(project)
      try await execute("CREATE TABLE kept AS SELECT 'here' AS word", at: first)
      kill(first.postmasterPID, SIGKILL)
      #expect(waitForEnd(of: first.postmasterPID, atMost: .seconds(120)))
      #expect(access("\(first.dataDirectory)/postmaster.pid", F_OK) == 0)

      let second = try await start(project)

      #expect(!second.adopted)
      #expect(try await answer("SELECT word FROM kept", at: second) == "here")
    }
  }

  @Test func aProcessFileThatNamesAnotherProgramIsNoObstacle() async throws {
    try await withProject { project in
      let first = try await start(project)
      _ = try await first.stop()
      let file = "\(first.dataDirectory)/postmaster.pid"
      try TextFile.replace(file, with: "\(getpid())\n\(first.dataDirectory)\n1\n5432\n/tmp\n\n  1 2\nready   \n")

      #expect(try await !start(project).adopted)
    }
  }

  @Test func anInterruptedCreationIsStartedOver() async throws {
    try await withProject { project in
      let layout = try ClusterLayout(project: project)
      try layout.makeFolders()
      try Folder.make(layout.draft, mode: 0o700)
      try TextFile.replace("\(layout.draft)/PG_VERSION", with: "1\n")

      let postgres = try await start(project)

      #expect(try await answer("SELECT 'whole'", at: postgres) == "whole")
      #expect(access(layout.draft, F_OK) == -1)
    }
  }

  @Test func aServerThatCannotStartIsReportedWithTheEndOfItsLog() async throws {
    try await withProject { project in
      let first = try await start(project)
      _ = try await first.stop()
      let settings = "\(first.dataDirectory)/postgresql.conf"
      let file = open(settings, O_WRONLY | O_APPEND | O_CLOEXEC)
      _ = write(file, "nonsense = 1\n", 13)
      close(file)

      let error = await #expect(throws: LocalPostgresError.self) { try await start(project) }

      #expect(error?.code == .failed)
      #expect(error?.description.contains("unrecognized configuration parameter \"nonsense\"") == true)
    }
  }

  @Test func aStartThatTakesTooLongLeavesNothingRunning() async throws {
    try await withProject { project in
      let layout = try ClusterLayout(project: project)

      await #expect(throws: (any Error).self) {
        try await LocalPostgres.start(project: project, limit: .milliseconds(100))
      }

      #expect(Postmaster.running(in: layout.data) == nil)
      #expect(access(layout.urlFile, F_OK) == -1)
      #expect(try await answer("SELECT 'recovered'", at: start(project)) == "recovered")
    }
  }

  @Test func refusesASocketFolderThatOthersMayEnter() async throws {
    try await withProject { project in
      let layout = try ClusterLayout(project: project)
      let path = SocketDirectory.path(for: layout, runtimeDirectory: nil)
      try SocketDirectory.prepare(path, for: layout)
      chmod(path, 0o755)

      let error = await #expect(throws: LocalPostgresError.self) { try await start(project) }

      #expect(error?.code == .notOurs)
      #expect(error?.description.contains(path) == true)
    }
  }

  @Test func aProjectThatIsNotThereIsNamed() async throws {
    let error = await #expect(throws: (any Error).self) { try await start("/no/such/project") }

    #expect(error.map { "\($0)" }?.contains("/no/such/project") == true)
  }

  // MARK: With a guard

  @Test func aGuardStopsItWithinFiveSeconds() async throws {
    try await withProject { project in
      let scene = try GuardedScene(project: project)
      // It is let go at once, as by a runner that was killed.
      let process = try await start(project).postmasterPID
      #expect(kill(process, 0) == 0)

      scene.killRunner()

      #expect(waitForEnd(of: process, atMost: .seconds(5)))
    }
  }

  @Test func aGuardLeavesItToARunnerThatHasAdoptedIt() async throws {
    try await withProject { project in
      let scene = try GuardedScene(project: project)
      let adopter = try await start(project)

      scene.killRunner()

      #expect(scene.guardProcess.hasEnded(atMost: .seconds(120)))
      #expect(try await answer("SELECT 'alive'", at: adopter) == "alive")
    }
  }
}

// The user's own XDG_RUNTIME_DIR stays out of the tests.
private func start(_ project: String) async throws -> LocalPostgres {
  // The limit only guards against hanging: hundreds of servers start beside this one.
  try await LocalPostgres.start(
    project: project, environment: Environment(["PATH": Environment.current()["PATH"] ?? ""]), limit: .seconds(300))
}

private func answer(_ sql: SQL, at postgres: LocalPostgres) async throws -> String {
  let connection = Connection(url: postgres.url, applicationName: "test")
  let rows = try await connection.query(sql)
  await connection.close()
  let column = try #require(rows.columns.first)
  return try #require(try rows.only()[column])
}

private func execute(_ sql: SQL, at postgres: LocalPostgres) async throws {
  let connection = Connection(url: postgres.url, applicationName: "test")
  _ = try await connection.query(sql)
  await connection.close()
}

private func permissions(_ path: String) throws -> mode_t { try facts(path).st_mode & 0o777 }

private func owner(_ path: String) throws -> uid_t { try facts(path).st_uid }

private func facts(_ path: String) throws -> stat {
  var facts = stat()
  try #require(lstat(path, &facts) == 0)
  return facts
}
