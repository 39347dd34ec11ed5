import CLI
import Capture
import FoundationEssentials
import FunctionKit
import Manifest
import Postgres
import Queue

extension ClockDriver {
  /// Sets the clock back, to an instant or to real time.
  ///
  /// - Throws: a sentence with the columns whose times would lie in the future.
  func goBack(to instant: Date?, _ manifest: Manifest) async throws {
    let tables = try await manifest.writtenTables()
    try await database.transaction { transaction in
      let row = try await transaction.query(
        """
        SELECT clock_timestamp() AS real, extract(epoch FROM "offset")::float8 AS offset FROM runner.clock FOR UPDATE
        """
      ).only()
      let (real, offset): (Date, Double) = (try row.decode("real"), try row.decode("offset"))
      let target = instant ?? real
      let span = offset - target.timeIntervalSince(real)
      guard span > 0 || instant == nil else { return }
      let found = span > 0 ? try await ClockStamps(transaction: transaction, tables: tables).later(than: target) : []
      guard found.isEmpty else { throw Self.refusal(found, target) }
      _ = try await transaction.query(
        "UPDATE runner.clock SET \"offset\" = make_interval(secs => \(instant == nil ? 0 : offset - span))")
      _ = try await transaction.query("SELECT \(ControlWord.clock.notify)")
    }
  }

  private static func refusal(_ found: [ClockStamps.Finding], _ target: Date) -> FunctionError {
    let lines = found.map { "  \($0.column): \($0.rows) rows, up to \(TimeText.of($0.latest))" }
    return FunctionError(
      .usage,
      """
      The clock is not set back to \(TimeText.of(target)): rows are stamped later, and would lie in the future.
      \(lines.joined(separator: "\n"))
      Start with a fresh database instead. For the one that the runner itself keeps: 'runner reset', then 'Runner/up'.
      """)
  }
}
