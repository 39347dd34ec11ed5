import CLI
import FoundationEssentials
import FunctionKit
import Postgres
import Queue

extension ClockSetting {
  /// Sets the clock back, to an instant or to real time.
  ///
  /// - Parameter rebasing: whether stamps that would lie in the future are moved back with it.
  /// - Throws: a sentence that names such stamps, where they are not.
  static func goBack(to instant: Date?, rebasing: Bool, in database: Connection) async throws {
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
      let stamps = ClockStamps(transaction: transaction)
      let found = span > 0 ? try await stamps.later(than: target) : []
      if !found.isEmpty {
        guard rebasing else { throw refusal(found, target) }
        try await stamps.moveBack(later: target, by: span)
      }
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
      With --rebase these times are moved back, too.
      """)
  }
}
