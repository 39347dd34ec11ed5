import Cron
package import Documents
package import Manifest
package import Postgres
import Queue

extension ScheduleLine {
  /// All schedules of `functions.json`.
  package static func all(of manifest: Manifest, in database: Connection) async throws -> [ScheduleLine] {
    let entries = try manifest.schedules()
    let rows = try await database.query(
      "SELECT name, next_at, paused_at FROM runner.schedules WHERE name = ANY (\(entries.map(\.name))::text[])")
    var lines: [ScheduleLine] = []
    for entry in entries {
      let row = rows.first { $0["name"] == entry.name }
      lines.append(
        ScheduleLine(
          name: entry.name, function: entry.function, expression: entry.trigger.expression.text,
          timezone: entry.trigger.timezone, overlap: entry.trigger.overlap.rawValue,
          catchup: entry.trigger.catchUp.rawValue, next: try row?.optional("next_at"),
          last: try await ScheduleFire.latest(1, of: entry.name, in: database).first,
          pausedAt: try row?.optional("paused_at")))
    }
    return lines
  }
}
