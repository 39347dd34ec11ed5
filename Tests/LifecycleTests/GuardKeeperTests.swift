import Glibc
import RunnerTestSupport
import TestSupport
import Testing

@testable import Lifecycle
@testable import Manifest
@testable import System

/// The guard of a runner dies, and so may the runner.
@Suite(.heavy)
@RunnerLoop
struct GuardKeeperTests {
  private let lines = LogLines()
  private nonisolated static let runner = GuardedScene.runner

  private func supervised(_ guardKeeper: GuardKeeper) -> Supervisor {
    let supervisor = Supervisor(log: lines.log) { _ in Issue.record("The server ends.") }
    supervisor.start("guard") { try await guardKeeper.run() }
    return supervisor
  }

  private func hasAnother(than old: pid_t?, _ guardKeeper: GuardKeeper) async throws -> Bool {
    try await Polling.wait(until: .now + .seconds(120)) { guardKeeper.handle.map { $0.process != old } ?? false }
  }

  @Test func aGuardThatDiesIsFollowedByOneThatKnowsTheSameProcesses() async throws {
    let guardKeeper = try GuardKeeper(project: nil, executable: Self.runner)
    let supervisor = supervised(guardKeeper)
    let worker = try ObservedProcess(["/bin/cat"], environment: [guardKeeper.marker])
    let first = try #require(guardKeeper.handle?.process)

    kill(first, SIGKILL)

    #expect(try await hasAnother(than: first, guardKeeper))
    #expect(lines.contain(#""part":"guard""#))
    #expect(kill(worker.id, 0) == 0)
    await supervisor.cancel()
    await guardKeeper.dismiss()
    #expect(await hasEnded(worker))
  }

  @Test func aGuardThatCannotBeStartedAgainIsTriedAgain() async throws {
    let folder = try TemporaryDirectory()
    let link = "\(folder.path)/runner"
    symlink(Self.runner, link)
    let guardKeeper = try GuardKeeper(project: nil, executable: link)
    let supervisor = supervised(guardKeeper)
    let first = try #require(guardKeeper.handle?.process)

    unlink(link)
    kill(first, SIGKILL)
    #expect(try await Polling.wait(until: .now + .seconds(120)) { lines.contain("No such file or directory") })
    symlink(Self.runner, link)

    #expect(try await hasAnother(than: first, guardKeeper))
    await supervisor.cancel()
    await guardKeeper.dismiss()
  }

  @Test func aRunnerThatStopsWithoutAGuardLeavesNothingEither() async throws {
    let folder = try TemporaryDirectory()
    let link = "\(folder.path)/runner"
    symlink(Self.runner, link)
    let guardKeeper = try GuardKeeper(project: nil, executable: link)
    let supervisor = supervised(guardKeeper)
    let worker = try ObservedProcess(["/bin/cat"], environment: [guardKeeper.marker])
    unlink(link)
    kill(try #require(guardKeeper.handle?.process), SIGKILL)
    #expect(try await Polling.wait(until: .now + .seconds(120)) { lines.contain("No such file or directory") })
    await supervisor.cancel()
    #expect(guardKeeper.handle == nil)
    symlink(Self.runner, link)

    await guardKeeper.dismiss()

    #expect(await hasEnded(worker))
  }

  private func project() throws -> (Project, TemporaryDirectory) {
    let folder = try TemporaryDirectory()
    try folder.write(#"{"functions":{}}"#, to: "functions.json")
    return (try Project(directory: folder.path), folder)
  }

  private func records(_ folder: TemporaryDirectory) throws -> [String] {
    var found: [String] = []
    let directory = try #require(opendir("\(folder.path)/.runner/runs"))
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      found.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return found.filter { $0 != "." && $0 != ".." }
  }

  @Test func whatARunnerLeftThatDiedWithItsGuardEndsAtTheNextStart() async throws {
    let (project, folder) = try project()
    let id = GuardHandle.newID()
    let stubborn = try ObservedProcess(
      ["/bin/bash", "-c", "trap '' TERM; echo ready; read; read"], environment: [Guard.marker(id)])
    #expect(stubborn.says("ready"))
    // Its lock ends with it, as with the process.
    do { _ = try RunRecord(id: id, in: project) }

    try await RunRecord.endLeftovers(of: project, log: lines.log, executable: Self.runner)

    #expect(await hasEnded(stubborn))
    #expect(lines.contain("ends what they left"))
    #expect(try records(folder) == [])
  }

  @Test func aRunnerThatLivesLosesNothing() async throws {
    let (project, folder) = try project()
    let record = try RunRecord(id: GuardHandle.newID(), in: project)
    let id = try #require(try records(folder).first)
    let worker = try ObservedProcess(["/bin/cat"], environment: [Guard.marker(id)])

    try await RunRecord.endLeftovers(of: project, log: lines.log, executable: Self.runner)

    worker.say("still here\n")
    #expect(worker.says("still here"))
    #expect(try records(folder) == [id])
    record.remove()
    #expect(try records(folder) == [])
  }

  @concurrent private func hasEnded(_ process: ObservedProcess) async -> Bool {
    process.hasEnded(atMost: .seconds(120))
  }
}
