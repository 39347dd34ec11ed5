import CLI
import Documents
import FunctionKit
import Inspection
import Manifest

/// `runner events dead`: the events that are not tried again by themselves, and why.
enum ListDeadLettersCommand {
  static let spec = CommandSpec(
    "dead", "the dead letters: events that are not tried again",
    [
      EventFilter.function, EventFilter.code, EventFilter.key, EventFilter.since, EventsCommand.count, Reply.option,
    ], run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let (context, filter) = (try CommandContext(arguments), EventFilter(arguments))
    let events = try await context.withDatabase { database in
      try await EventCatalogue(database: database, manifest: context.project.manifest)
        .list(filter, states: [.dead], count: arguments[EventsCommand.count] ?? 20)
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
