import Foundation
import Postgres
import TestSupport
import Testing

/// Functions elsewhere, while they, the network and the runners fail: nothing is lost or out of order.
@Suite(.heavy)
struct RemoteFaultTests {
  private static let settings = #","key":"key","onFailure":"block","concurrency":32"#

  private func project(
    _ names: [String], faults: Double, _ more: String = ""
  ) async throws -> (RunningRunner, RemoteFunctions) {
    let port = try RunningProgram.freePort()
    let runner = try await RunningRunner.withLedgers(
      RemoteFunctions.manifest(names, port: port, Self.settings + more), scripts: [:])
    return (runner, RemoteFunctions(in: runner.project, port: port, faults: faults))
  }

  /// Each function got each row's event, noted it once, and those of a key in their order.
  private func check(_ names: [String], _ runner: RunningRunner) async throws {
    try await runner.waitUntilEmpty(within: .seconds(240))
    let written = try await runner.database.query("SELECT number FROM entries").decode("number", as: Int.self)
    #expect(!written.isEmpty)
    for name in names {
      let ledger = try Ledger(name, of: runner)
      #expect(ledger.entries.count == written.count, "\(name)")
      #expect(ledger.numbers == Set(written), "\(name)")
      #expect(ledger.misplaced().isEmpty, "\(name)")
    }
    let dead = try await runner.database.query("SELECT FROM runner.dead_letters")
    #expect(dead.isEmpty)
  }

  @Test(arguments: ["", #","batch":16"#])
  func aTargetThatFailsAndVanishesGetsEverythingInOrder(_ batch: String) async throws {
    let (runner, functions) = try await project(["remote"], faults: 0.05, batch)
    var server = try await functions.start()
    let served = try await runner.start()
    let writers = (0..<8).map { Writer($0, url: runner.databaseURL) }

    try await writing(writers, pausing: .milliseconds(5)) {
      for _ in 0..<3 {
        let known = try Ledger("remote", of: runner).numbers.count
        try await runner.wait(for: "remote") { $0.numbers.count > known + 100 }
        server.send(SIGKILL)
        try await server.exit()
        try await runner.wait(until: "(SELECT count(*) > 50 FROM runner.events)", "events wait")
        server = try await functions.start()
      }
    }
    try await check(["remote"], runner)
    #expect(served.program.ended == nil)
    withExtendedLifetime(server) {}
  }

  @Test func answersWithoutEndAreRefusedAndLoseNothing() async throws {
    let port = try RunningProgram.freePort()
    let runner = try await RunningRunner.withLedgers(
      RemoteFunctions.manifest(["flood"], port: port, #","key":"key","concurrency":200"#), scripts: [:])
    let flood = try await FloodingServer.start(on: port)
    let served = try await runner.start()

    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<60 { group.addTask { try await served.call("flood").status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.allSatisfy { $0 == 502 || $0 == 503 }, "\(statuses)")
    try await runner.database.script("INSERT INTO entries SELECT n, 'k' || n FROM generate_series(1, 400) AS n")
    try await runner.waitUntilEmpty()

    // Nothing is lost: what floods is a dead letter each.
    let dead = try await runner.database.query("SELECT FROM runner.dead_letters WHERE code = 'INVALID_OUTPUT'")
    #expect(dead.count == 400)
    withExtendedLifetime(flood) {}
  }

  @Test func threeRunnersWithTwentyFunctionsElsewhereAreKilledInTurn() async throws {
    let names = (1...20).map { "remote-\($0)" }
    let (runner, functions) = try await project(names, faults: 0.02)
    let server = try await functions.start()
    var runners: [Served] = []
    for _ in 0..<3 { runners.append(try await runner.start(options: ["--lease", "3"])) }
    let writers = (0..<4).map { Writer($0, url: runner.databaseURL) }

    try await writing(writers, pausing: .milliseconds(50)) {
      for _ in 0..<3 {
        let known = try Ledger("remote-1", of: runner).numbers.count
        try await runner.wait(for: "remote-1") { $0.numbers.count > known + 40 }
        let victim = runners.removeFirst()
        victim.program.send(SIGKILL)
        try await victim.program.exit()
        runners.append(try await runner.start(options: ["--lease", "3"]))
      }
    }
    try await check(names, runner)
    withExtendedLifetime((server, runners)) {}
  }
}
