import FoundationEssentials
import FunctionKit
import Postgres

/// `runner schedules list`: what is due when, and what became of it last.
struct SchedulesListCommand {
  private let project: Project
  private let json: Bool

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

  init(_ words: Words) throws {
    var words = words
    project = try Project(directory: words.value("--project"))
    json = words.flag("--json")
    try words.finish()
  }

  func run() async throws -> Int32 {
    let lines = try await lines(project.database())
    if json { return Console.say(String(decoding: try JSONCoding.encode(lines).bytes, as: UTF8.self)) }
    var table = Table(["schedule", "expression", "zone", "next", "last", "outcome"])
    for line in lines {
      let next = line.pausedAt == nil ? line.next.map(InstantText.show) ?? "not served yet" : "paused"
      table.add([
        line.name, line.expression, line.timezone, next,
        line.last.map { InstantText.show($0.scheduledTime) } ?? "never",
        line.last?.outcomeText ?? "",
      ])
    }
    return Console.say(table.text)
  }

  private func lines(_ database: Connection) async throws -> [Line] {
    let entries = try project.manifest.schedules()
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
