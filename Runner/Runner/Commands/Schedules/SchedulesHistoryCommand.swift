import CLI
import FunctionKit

/// `runner schedules history`: what was fired when, and what became of it.
struct SchedulesHistoryCommand {
  private let context: CommandContext
  private let name: String?
  private let count: Int

  init(_ words: Words) throws {
    var words = words
    context = try CommandContext(&words)
    count = try words.number("--count", in: 1...10_000) ?? 20
    name = words.word()
    try words.finish()
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
