import FoundationEssentials
import Notifications
import Postgres

extension Simulation {
  /// Quiet hours in which a group agrees on one event after the other.
  func sleepThroughMuch() async throws {
    for person in people {
      try await set(
        """
        quiet_hours_enabled = true, timezone = 'UTC', hourly_limit = \(random.pick([nil, 1, 3]) as Int?),
          quiet_hours_start = date_trunc('minute', \(clock)::timestamptz AT TIME ZONE 'UTC')::time,
          quiet_hours_end = (\(clock + 3 * 3_600)::timestamptz AT TIME ZONE 'UTC')::time,
          quiet_hours_summary = \(random.pick([true, nil, nil, false]) as Bool?)
        """, of: person, .lockItIn)
    }
    for _ in 0..<6 {
      try await propose()
      try await confirm()
    }
  }
}
