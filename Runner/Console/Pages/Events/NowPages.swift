import Documents
import FoundationEssentials
import FunctionKit
import Inspection
import Manifest
import Metrics
import Postgres

/// The first page: what happens now, whatever has triggered it.
struct NowPages: PageSource {
  /// How many events are shown unless the address says more.
  private static let count = 50

  let place = Place("", "Now", key: "n")

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard request.path.isEmpty, request.form == nil else { throw NoSuchPage() }
    let query = try EventQuery(request["q"] ?? "")
    let count = request["count"].flatMap { Int($0) }.map { min(max($0, 1), 500) } ?? Self.count
    let running = Set(desk.report.functions.flatMap(\.events))
    var filter = query.filter
    if query.state == .running {
      let ids = running.map(EventID.init)
      filter.ids = filter.ids.isEmpty ? ids : filter.ids.filter(ids.contains)
    }
    let isNone = query.state == .running && filter.ids.isEmpty
    let catalogue = EventCatalogue(database: desk.database, manifest: desk.manifest)
    let found =
      isNone
      ? EventCatalogue.Newest() : try await catalogue.newest(filter, states: Self.states(query.state), count: count)
    let events = try await catalogue.withBlockers(found.events.map { $0.running(running) })
    let next = try await desk.database.query(
      "SELECT runner.now() AS now, (SELECT min(next_at) FROM runner.schedules WHERE paused_at IS NULL) AS next"
    ).only()
    let view = NowView(
      query: query, events: events, isWhole: found.isWhole, count: count,
      overdue: try await Overdue.all(in: desk.database),
      outages: try await desk.database.outages(desk.manifest), now: try next.decode("now"),
      nextSchedule: try next.optional("next"), report: desk.report, pulse: desk.pulse,
      functions: desk.manifest.functions.map(\.name),
      limits: Dictionary(desk.manifest.functions.map { ($0.name, $0.concurrency) }) { $1 }, url: desk.url)
    return .page(view.page)
  }

  private static func states(_ state: EventSummary.State?) -> [EventSummary.State] {
    switch state {
    case nil: [.waiting, .retrying, .dead, .done, .failed]
    case .running: [.waiting, .retrying]
    case let state?: [state]
    }
  }
}

extension EventSummary {
  /// The same, running if its id is among those that processes work on.
  func running(_ ids: Set<String>) -> EventSummary {
    guard [.waiting, .retrying].contains(state), ids.contains(id) else { return self }
    var event = self
    event.state = .running
    return event
  }
}
