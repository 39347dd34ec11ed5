import CLI
import Documents
import FunctionKit
import Inspection
import Manifest

/// `runner events dead`: the events that are not tried again by themselves, and why.
struct ListDeadLettersCommand {
  private let context: CommandContext
  private let filter: EventFilter
  private let count: Int

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    context = try CommandContext(&arguments)
    var filter = try EventFilter(&arguments)
    filter.code = try arguments.value("--code")
    self.filter = filter
    count = try arguments.number("--count", in: 1...10_000) ?? 20
    try arguments.finish()
  }

  func run() async throws -> Int32 {
    let events = try await context.withDatabase { database in
      try await EventCatalogue(database: database, manifest: context.project.manifest)
        .list(filter, states: [.dead], count: count)
    }
    if events.isEmpty { try filter.checkFunction(context.project.manifest) }
    var table = Table(
      ["id", "died at", "function", "key", "code", "attempts", "crashes", "error"],
      flexible: ["function", "key", "code", "error"], dispensable: ["crashes", "attempts", "died at"])
    for event in events {
      table.add([
        event.id, event.endedAt.map { TimeText.brief($0) } ?? "", event.function, event.key ?? "", event.code ?? "",
        "\(event.attempts)", "\(event.crashes)", event.error?.firstLine ?? "",
      ])
    }
    return try context.answer(events, text: events.isEmpty ? "No dead letters." : table.text)
  }
}
