import Foundation
import Postgres
import TestSupport

/// A status change that many voters are told of, by the built function.
///
/// It is compared with a plain `INSERT … SELECT` of the rows that it wrote, into the same tables.
///
/// Both begin without any such rows; the function also makes the rows that people are locked by.
struct FanOutBenchmark {
  let effort: Effort

  private static let written = ["notifications", "decisions", "deliveries"]

  func findings() async throws -> [Finding] {
    let count = effort.choose(quick: 20_000, normal: 100_000)
    let manifest = try ProjectManifest.read().text
    return try await LocalCluster.with { cluster in
      let project = try await QueueProject(cluster, manifest: manifest, tables: "SELECT")
      return try await connected(to: project.databaseURL) { database in
        let voters = try await Voters.make(count, database)
        _ = try await FanOut.run(voters.event("first"), database: project.databaseURL)
        try await verify(count, database)
        for table in Self.written { try await database.script("CREATE TABLE kept_\(table) AS TABLE \(table)") }
        var (fanOuts, copies) = ([FanOut](), [Double]())
        var (used, usedByCopies) = ([Double](), [Double]())
        // Both take turns, so that everything else on the machine affects both alike.
        for round in 0..<effort.choose(quick: 1, normal: 3, long: 7) {
          try await clear(database)
          var before = try await cluster.serverTime()
          copies.append(try await copy(database))
          usedByCopies.append((try await cluster.serverTime() - before).milliseconds)
          try await clear(database)
          before = try await cluster.serverTime()
          fanOuts.append(try await FanOut.run(voters.event("\(round)"), database: project.databaseURL))
          used.append((try await cluster.serverTime() - before).milliseconds)
          try await verify(count, database)
        }
        let (time, copyTime) = (Samples(used).p50, Samples(usedByCopies).p50)
        return Self.findings(count, fanOuts, copies) + [
          Finding(
            what: "fan-out: PostgreSQL's CPU time for it, against that for the INSERT … SELECT", p50: time,
            ratio: time / copyTime)
        ]
      }
    }
  }

  private static func findings(_ count: Int, _ fanOuts: [FanOut], _ copies: [Double]) -> [Finding] {
    let (time, copy) = (Samples(fanOuts.map(\.milliseconds)).p50, Samples(copies).p50)
    return [
      Finding(what: "fan-out: INSERT … SELECT of the same rows", p50: copy, isYardstick: true),
      Finding(
        what: "fan-out: \(count) voters decided and written, against that", p50: time, ratio: time / copy,
        limits: [.ratioAtMost(3)], goal: .ratioAtMost(1.5)),
      Finding(
        what: "fan-out: status-changed's MiB at most", value: fanOuts.map(\.peakMemory).max(),
        limits: [.valueBelow(128)], goal: .valueBelow(64)),
    ]
  }

  private func clear(_ database: Connection) async throws {
    try await database.script(
      "TRUNCATE \(Self.written.joined(separator: ", ")), handled_events, notification_state CASCADE")
    try await database.script("CHECKPOINT")
  }

  /// The milliseconds that inserting the written rows takes.
  private func copy(_ database: Connection) async throws -> Double {
    let start = ContinuousClock.now
    try await database.transaction { transaction in
      for table in Self.written { try await transaction.script("INSERT INTO \(table) SELECT * FROM kept_\(table)") }
    }
    return (ContinuousClock.now - start).milliseconds
  }

  /// Throws unless everybody has been told on their device.
  private func verify(_ count: Int, _ database: Connection) async throws {
    for table in Self.written {
      let told: Int = try await database.query(
        "SELECT count(DISTINCT user_id) AS people FROM \(identifier: table)"
      ).only().decode("people")
      guard told == count else { throw BenchmarkError("Of \(count) voters, \(told) have a row in \(table).") }
    }
  }
}
