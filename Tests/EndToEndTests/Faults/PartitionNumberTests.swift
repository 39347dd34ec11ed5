import Foundation
import Postgres
import TestSupport
import Testing

/// `runner migrate --partitions`, while a runner serves and others write.
@Suite(.heavy)
struct PartitionNumberTests {
  @Test func nothingIsLostOrOutOfOrderWhileTheNumberChanges() async throws {
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("ledger")), scripts: ["ledger": Ledger.script("ledger")], environment: [:])
    _ = try await runner.start()
    let writers = (0..<4).map { Writer($0, url: runner.databaseURL) }

    try await writing(writers, pausing: .milliseconds(2)) {
      for number in [64, 8, 16] {
        let known = try Ledger("ledger", of: runner).numbers.count
        try await runner.wait(for: "ledger") { $0.numbers.count > known + 100 }
        let changed = try await runner.run(["migrate", "--partitions", "\(number)"])
        #expect(changed.exit == 0, "\(changed.stderr)")
        #expect(changed.stdout.contains("the queue has \(number) partitions, and had "))
        try await eventually("it holds all again") {
          try await runner.database.query("SELECT count(owner)::int AS n FROM runner.leases").only().decode("n")
            == number
        }
      }
    }
    try await runner.waitUntilEmpty()

    let ledger = try await runner.expectAllInOrder()
    // What ran once more did so under its id.
    let ids = Dictionary(grouping: ledger.entries, by: \.n).mapValues { Set($0.map(\.id)).count }
    #expect(ids.values.allSatisfy { $0 == 1 })
  }

  @Test func aNumberThatIsNoneIsAMistake() async throws {
    let runner = try await RunningRunner(#"{"functions":{}}"#)
    for number in ["0", "12", "512"] {
      #expect(try await runner.run(["migrate", "--partitions", number]).exit == 64)
    }
  }
}
