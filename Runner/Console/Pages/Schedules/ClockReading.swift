import FoundationEssentials
import Postgres

/// The events' clock.
struct ClockReading: Sendable {
  var now: Date
  /// Seconds that it is ahead of real time.
  var offset: Double

  init(now: Date, offset: Double) {
    (self.now, self.offset) = (now, offset)
  }

  init(_ database: Connection) async throws(PostgresError) {
    let row = try await database.query(
      "SELECT runner.now() AS now, extract(epoch FROM \"offset\")::float8 AS offset FROM runner.clock"
    ).only()
    (now, offset) = (try row.decode("now"), try row.decode("offset"))
  }

  var isVirtual: Bool { offset != 0 }
}
