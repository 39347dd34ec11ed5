import CLI
import Documents
import FoundationEssentials
import Inspection
import Manifest

/// `runner schedules list`: what is due when, and what became of it last.
enum SchedulesListCommand {
  static let spec = CommandSpec(
    "list", "every schedule: when it is due next, what became of it last", [Reply.option], run: run)

  static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    let lines = try await context.withDatabase { database in
      try await ScheduleLine.all(of: context.project.manifest, in: database)
    }
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
}
