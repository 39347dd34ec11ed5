import CLI
import Cron
import FoundationEssentials
import FunctionKit
import Manifest
import Postgres
import Schedules

/// `runner schedules list`: what is due when, and what became of it last.
struct SchedulesListCommand {
  private let context: CommandContext

  private struct Line: Encodable {
    var name: String
    var function: String
    var expression: String
    var timezone: String
    var overlap: String
    var catchup: String
    var next: Date?
    var last: ScheduleFire?
    var pausedAt: Date?
  }

  init(_ arguments: CommandArguments) throws {
    context = try CommandContext(arguments)
  }

  func run() async throws -> Int32 {
    let lines = try await context.withDatabase(lines)
    var table = Table(
      ["schedule", "expression", "zone", "next", "last", "outcome"], flexible: ["expression", "zone", "outcome"])
    for line in lines {
      let next = line.pausedAt == nil ? line.next.map { TimeText.brief($0) } ?? "not served yet" : "paused"
      table.add([
        line.name, line.expression, line.timezone, next,
        line.last.map { TimeText.brief($0.scheduledTime) } ?? "never",
        line.last?.outcomeText ?? "",
      ])
    }
    return try context.answer(lines, text: lines.isEmpty ? "No schedules." : table.text)
  }

  private func lines(_ database: Connection) async throws -> [Line] {
    let entries = try context.project.manifest.schedules()
    let rows = try await database.query(
      "SELECT name, next_at, paused_at FROM runner.schedules WHERE name = ANY (\(entries.map(\.name))::text[])")
    var lines: [Line] = []
    for entry in entries {
      let row = rows.first { $0["name"] == entry.name }
      lines.append(
        Line(
          name: entry.name, function: entry.function, expression: entry.trigger.expression.text,
          timezone: entry.trigger.timezone, overlap: entry.trigger.overlap.rawValue,
          catchup: entry.trigger.catchUp.rawValue, next: try row?.optional("next_at"),
          last: try await ScheduleFire.latest(1, of: entry.name, in: database).first,
          pausedAt: try row?.optional("paused_at")))
    }
    return lines
  }
}
