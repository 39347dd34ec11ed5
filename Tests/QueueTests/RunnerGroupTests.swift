import Capture
import FunctionKit
import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import CLI
@testable import Manifest
@testable import Queue

/// The functions that a runner has; no two groups of runners share one.
@Suite(.heavy)
struct RunnerGroupTests {
  private static let manifest = #""a": {}, "b": {}, "c": {}"#

  private func selection(_ arguments: String...) throws -> FunctionSelection { try selection(arguments) }

  private func selection(_ arguments: [String]) throws -> FunctionSelection {
    let spec = CommandSpec("serve", "serve", [FunctionSelection.only, FunctionSelection.except])
    return try FunctionSelection(CommandArguments(arguments, of: spec))
  }

  @Test func functionsAreChosenByName() throws {
    let manifest = try CapturingDatabase.manifest(Self.manifest)
    let some = manifest.selecting(try selection("--only", "c,a"))
    let rest = manifest.selecting(try selection("--except", "c", "--except", "a"))

    #expect(some.functions.map(\.name) == ["a", "c"])
    #expect(some.elsewhere.map(\.name) == ["b"])
    #expect(rest.functions.map(\.name) == ["b"])
    #expect(rest.whole.functions.map(\.name) == ["b", "a", "c"])
    #expect(manifest.selecting(try selection()) == manifest)
  }

  @Test func runnersWithTheSameWordsAreAGroup() throws {
    #expect(try selection().group(of: "default") == "")
    #expect(try selection().group(of: "other") == "other")
    #expect(
      try selection("--only", "a,b").group(of: "default")
        == selection("--only", "b", "--only", "a").group(of: "default"))
    #expect(try selection("--only", "a").group(of: "default") != selection("--except", "a").group(of: "default"))
  }

  @Test(arguments: [["--only", "a", "--except", "b"], ["--only", "d"], ["--except", "a,b,c"], ["--only"]])
  func aChoiceThatIsNoneIsAMistake(_ arguments: [String]) throws {
    let manifest = try CapturingDatabase.manifest(Self.manifest)
    let error = #expect(throws: FunctionError.self) { try selection(arguments).checked(by: manifest) }
    #expect(error?.code == .usage)
  }

  /// A runner, and the session by which others see that it lives.
  private struct Member {
    let store: EventStore
    let session: Connection
    let functions: [String]

    init(_ number: Int, _ group: String, _ functions: String..., of database: CapturingDatabase) async throws {
      store = EventStore(
        database: EventStore.connection(database.url), owner: "00000000-0000-4000-8000-00000000000\(number)",
        holder: number, name: "process \(number)", leaseSeconds: 60, history: History(), group: group)
      session = Connection(url: database.url, applicationName: "test", statementTimeout: .seconds(300))
      self.functions = functions
      _ = try await session.query("SELECT pg_advisory_lock(\(AdvisoryLock.life), \(number)::int)")
    }

    func hold() async throws -> EventStore.Lease { try await store.hold(functions).lease }
  }

  private func refusal(of member: Member) async -> String? {
    do {
      _ = try await member.hold()
      return nil
    } catch {
      return (error as? PostgresError).flatMap { $0.sqlState == "RU002" ? $0.message : "\($0)" }
    }
  }

  @Test func groupsHoldAllPartitionsEachAndShareThemWithinAGroup() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    let first = try await Member(1, "x", "a", of: database)
    let second = try await Member(2, "y", "b", "c", of: database)
    let third = try await Member(3, "y", "b", "c", "d", of: database)

    #expect(try await first.hold().count == 16)
    #expect(try await second.hold().count == 16)
    #expect(try await third.hold().isEmpty)
    try await second.store.release(Set(0...7))
    #expect(try await third.hold().count == 8)
    #expect(try await first.hold().count == 16)
    #expect(Set(try await first.store.hold(["a"]).elsewhere) == ["b", "c", "d"])
  }

  @Test func aGroupThatHasAnothersFunctionIsRefused() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    let all = try await Member(1, "", "a", "b", of: database)
    let some = try await Member(2, "default only b", "b", of: database)
    _ = try await all.hold()

    #expect(await refusal(of: some) == #"the runner "process 1" has b"#)
    let free = try await database.connection.query("SELECT FROM runner.leases WHERE grp <> ''")
    #expect(free.isEmpty)

    try await all.store.leave()
    #expect(try await some.hold().count == 16)
    #expect(await refusal(of: all) == #"the runner "process 2" has b"#)
  }

  /// Its session is lost for a moment, and another runner takes its place: it settles nothing more, and says why.
  @Test func whoSeemsToBeGoneIsFencedByTheGroupThatTakesItsFunctions() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    let all = try await Member(1, "", "a", "b", of: database)
    let lease = try await all.hold()
    await all.session.close()

    let some = try await Member(2, "default only b", "b", of: database)
    #expect(try await some.hold().count == 16)

    let fenced = await #expect(throws: PostgresError.self) {
      _ = try await all.store.poll(
        PollRequest(
          lease: lease,
          ended: [
            EndedAttempt(place: .init(partition: 0, id: 1, table: .events), attempt: 0, crashes: 0, microseconds: 1)
          ]))
    }
    #expect(fenced?.sqlState == "RU001")
    #expect(await refusal(of: all) == #"the runner "process 2" has b"#)
  }

  @Test func twoThatJoinAtOnceDoNotBothGetAFunction() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    for round in 0..<10 {
      let members = [
        try await Member(round * 2 % 10, "x\(round)", "a", of: database),
        try await Member((round * 2 + 1) % 10, "y\(round)", "a", of: database),
      ]
      async let first = refusal(of: members[0])
      async let second = refusal(of: members[1])
      let refused = await [first, second].compactMap(\.self)
      #expect(refused.count == 1 && refused[0].hasSuffix("has a"))
      for member in members {
        try await member.store.leave()
        await member.session.close()
        await member.store.database.close()
      }
    }
  }
}
