import CLI
import Documents
import FunctionKit
import Inspection

/// `runner schedules history`: what was fired when, and what became of it.
enum SchedulesHistoryCommand {
  private static let count = Option.number("--count", "N", in: 1...10_000, SchedulesCommand.counted)

  static let spec = CommandSpec(
    "history", "what was fired or left out, and what became of it",
    [SchedulesCommand.name, count, Reply.option], run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    let fires = try await context.withDatabase {
      try await ScheduleFire.latest(arguments[count] ?? 20, of: arguments.operand, in: $0)
    }
    var table = Table(["schedule", "scheduled", "late by", "", "outcome", "took"], flexible: ["schedule", "outcome"])
    for fire in fires {
      table.add([
        fire.schedule, TimeText.brief(fire.scheduledTime), TimeText.length(fire.lateBy), fire.manual ? "by hand" : "",
        fire.outcomeText, fire.milliseconds.map { TimeText.length($0 / 1_000) } ?? "",
      ])
    }
    return try context.answer(fires, text: fires.isEmpty ? "No occurrences." : table.text)
  }
}
