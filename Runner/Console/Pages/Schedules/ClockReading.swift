import FoundationEssentials
import Postgres

/// The events' clock.
struct ClockReading: Sendable {
  var now: Date
  /// Seconds that it is ahead of real time.
  var offset: Double
  /// The last time at which a schedule has fired that real time has not reached; `nil` if there is none.
  ///
  /// Until then the clock is not set back to real time. It may be refused because of other rows, too, which only the
  /// command looks for: that reads the app's tables.
  var lastFire: Date?

  init(now: Date, offset: Double) {
    (self.now, self.offset) = (now, offset)
  }

  init(_ database: Connection) async throws(PostgresError) {
    let row = try await database.query(
      """
      SELECT runner.now() AS now, extract(epoch FROM "offset")::float8 AS offset,
        (SELECT max(last_scheduled_time) FROM runner.schedules WHERE last_scheduled_time > clock_timestamp()) AS last_fire
      FROM runner.clock
      """
    ).only()
    (now, offset, lastFire) = (try row.decode("now"), try row.decode("offset"), try row.optional("last_fire"))
  }

  var isVirtual: Bool { offset != 0 }
}
