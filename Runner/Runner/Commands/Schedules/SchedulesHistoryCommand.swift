import CLI
import Documents
import FunctionKit
import Inspection

/// `runner schedules history`: what was fired when, and what became of it.
struct SchedulesHistoryCommand {
  private let context: CommandContext
  private let name: String?
  private let count: Int

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    context = try CommandContext(&arguments)
    count = try arguments.number("--count", in: 1...10_000) ?? 20
    name = arguments.operand()
    try arguments.finish()
  }

  func run() async throws -> Int32 {
    let fires = try await context.withDatabase { try await ScheduleFire.latest(count, of: name, in: $0) }
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
