import FunctionKit
import Postgres

/// `runner schedules history`: what was fired when, and what became of it.
struct SchedulesHistoryCommand {
  private let project: Project
  private let name: String?
  private let count: Int
  private let json: Bool

  init(_ words: Words) throws {
    var words = words
    project = try Project(directory: words.value("--project"))
    json = words.flag("--json")
    let count = try words.value("--count")
    name = words.word()
    try words.finish()
    guard let number = Int(count ?? "20"), (1...10_000).contains(number) else {
      throw FunctionError(.usage, "--count takes a number from 1 to 10000.")
    }
    self.count = number
  }

  func run() async throws -> Int32 {
    let fires = try await ScheduleFire.latest(count, of: name, in: project.database())
    if json { return Console.say(String(decoding: try JSONCoding.encode(fires).bytes, as: UTF8.self)) }
    var table = Table(["schedule", "scheduled", "late by", "", "outcome", "took"])
    for fire in fires {
      table.add([
        fire.schedule, InstantText.show(fire.scheduledTime), Self.text(seconds: fire.lateBy),
        fire.manual ? "by hand" : "", fire.outcomeText, fire.milliseconds.map { "\(Int($0.rounded())) ms" } ?? "",
      ])
    }
    return Console.say(table.text)
  }

  private static func text(seconds: Double) -> String {
    abs(seconds) < 10 ? "\(Int((seconds * 1_000).rounded())) ms" : ClockSpan(seconds: max(0, Int(seconds))).text
  }
}
