import CLI
import Documents
import FunctionKit
import Inspection
import Manifest
import Metrics

/// `runner events list`: the newest events, whatever their state.
struct ListEventsCommand {
  private static let state = Option<EventSummary.State>.choice(
    "--state", "S", "waiting, running, retrying, dead, done, or failed: ended without success and not kept")

  static let spec = CommandSpec(
    "list", "the newest events: waiting, retrying, dead and ended ones",
    [EventFilter.function, state, EventFilter.key, EventFilter.since, EventsCommand.count, Reply.option],
    run: { try await Self($0).run() })

  private let context: CommandContext
  private let filter: EventFilter
  private let state: EventSummary.State?
  private let count: Int

  private init(_ arguments: CommandArguments) throws {
    context = try CommandContext(arguments)
    filter = EventFilter(arguments)
    state = arguments[Self.state]
    count = arguments[EventsCommand.count] ?? 20
  }

  private func run() async throws -> Int32 {
    let running = await running()
    if state == .running, running == nil {
      throw FunctionError(.unavailable, "No runner that serves this project says which events it handles now.")
    }
    var filter = filter
    if state == .running { filter.ids = (running ?? []).map(EventID.init) }
    let events = state == .running && filter.ids.isEmpty ? [] : try await read(filter, running: Set(running ?? []))
    if events.isEmpty { try filter.checkFunction(context.project.manifest) }
    var table = Table(
      ["id", "state", "at", "function", "kind", "key", "attempts", "code"],
      flexible: ["function", "kind", "key", "code"], dispensable: ["kind", "attempts", "code", "at"])
    for event in events {
      table.add([
        event.id, event.state.rawValue, TimeText.brief(event.at), event.function, event.kind, event.key ?? "",
        "\(event.attempts)", event.code ?? "",
      ])
    }
    return try context.answer(events, text: events.isEmpty ? "No events." : table.text)
  }

  /// The ids of the events that the serving runner handles now; `nil` if no runner answers.
  private func running() async -> [String]? {
    guard let functions = await RunnerReport.ask(context.project)?.functions else { return nil }
    let known = functions.compactMap(\.events)
    return known.isEmpty ? nil : known.flatMap(\.self)
  }

  private func read(_ filter: EventFilter, running: Set<String>) async throws -> [EventSummary] {
    let states: [EventSummary.State] =
      switch state {
      case nil: [.waiting, .retrying, .dead, .done, .failed]
      case .running: [.waiting, .retrying]
      case let state?: [state]
      }
    let events = try await context.withDatabase { database in
      try await EventCatalogue(database: database, manifest: context.project.manifest)
        .list(filter, states: states, count: count)
    }
    return events.map { event in
      var event = event
      if [.waiting, .retrying].contains(event.state), running.contains(event.id) { event.state = .running }
      return event
    }
  }
}
