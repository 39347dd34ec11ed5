import Postgres
import TestSupport

/// A long import beside everybody else, and right after it a change of each of its keys.
///
/// Its ids are missing for seconds while the others' events are read; what comes after it must not overtake it.
struct Importer {
  private static let (rows, keys) = (300, 10)

  private let connection: Connection
  private let state: WritersState
  private let number: Int
  private var series: SplitMix
  private var drawn = 0

  /// - Parameter number: unlike any writer's or racer's.
  init(_ number: Int, _ plan: Plan, url: String, _ state: WritersState) {
    connection = Connection(
      url: url, applicationName: "chaos writer", connectTimeout: .seconds(2), statementTimeout: .seconds(30))
    (self.number, self.state) = (number, state)
    series = SplitMix(seed: plan.seed ^ UInt64(plan.number) << 32 ^ UInt64(number) << 48)
  }

  mutating func run() async {
    while state.goesOn {
      let first = number * 1_000_000 + drawn
      drawn += Self.rows + Self.keys
      let (length, pause) = (Int.random(in: 100...3_000, using: &series), Int.random(in: 500...3_000, using: &series))
      do {
        try await connection.script(importing(first, for: length))
        for key in 0..<Self.keys { try await connection.script(insertion(first + Self.rows + key)) }
      } catch { state.note(error) }
      try? await Task.sleep(for: .milliseconds(pause))
    }
    await connection.close()
  }

  /// One transaction, in parts between which others draw ids.
  private func importing(_ first: Int, for length: Int) -> String {
    let part = Self.rows / 10
    let parts = (0..<10).map { number in
      let start = first + number * part
      return insertion(start, through: start + part - 1) + ";\nSELECT pg_sleep(\(Double(length) / 10_000))"
    }
    return "BEGIN;\n\(parts.joined(separator: ";\n"));\nCOMMIT"
  }

  private func insertion(_ first: Int, through last: Int? = nil) -> String {
    """
    INSERT INTO letters (number, key, writer, way)
    SELECT n, 'import-' || n % \(Self.keys), 'i\(number)', 'import' FROM generate_series(\(first), \(last ?? first)) AS n
    """
  }
}
