import Postgres
import TestSupport

/// Pairs of transactions that overtake each other.
///
/// The one with the younger number draws the lower id of a partition, the one with the older number commits, the runner
/// reads, and then the younger commits.
struct Racer {
  private let older: Connection
  private let younger: Connection
  private let state: WritersState
  private let number: Int
  private var series: SplitMix
  private var drawn = 0

  /// - Parameter number: unlike any writer's or other racer's.
  init(_ number: Int, _ plan: Plan, url: String, _ state: WritersState) {
    older = Connection(url: url, applicationName: "chaos writer", connectTimeout: .seconds(2))
    younger = Connection(url: url, applicationName: "chaos writer", connectTimeout: .seconds(2))
    (self.number, self.state) = (number, state)
    series = SplitMix(seed: plan.seed ^ UInt64(plan.number) << 32 ^ UInt64(number) << 48)
  }

  mutating func run() async {
    while state.goesOn {
      let first = number * 1_000_000 + drawn
      drawn += 2
      let (reading, pause) = (Int.random(in: 20...1_200, using: &series), Int.random(in: 20...600, using: &series))
      do { try await race(first, reading: .milliseconds(reading)) } catch let error as PostgresError {
        state.note(error)
      } catch {}
      try? await Task.sleep(for: .milliseconds(pause))
    }
    await older.close()
    await younger.close()
  }

  private func race(_ first: Int, reading: Duration) async throws {
    try await younger.transaction { younger in
      try await older.transaction { older in
        try await older.script("SELECT pg_current_xact_id()")
        try await younger.script("SELECT pg_current_xact_id()")
        try await younger.script(insertion(first))
        try await older.script(insertion(first + 1))
      }
      try await Task.sleep(for: reading)
    }
  }

  private func insertion(_ n: Int) -> String {
    "INSERT INTO letters (number, key, writer, way) VALUES (\(n), 'race-\(number)', 'r\(number)', 'race')"
  }
}
