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
  private static let count = 40
  /// How many ticks are counted.
  private static let ticks = 200
  /// How much of the history is looked through for a page that chooses nothing, in pages of PostgreSQL's.
  private static let historyPages = 1_100
  /// How much of it for the ticks.
  private static let tickPages = 128

  let place = NavigationEntry("", "Now", key: "n")
  let usesCounts = true

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard request.path.isEmpty, request.form == nil else { throw NoSuchPage() }
    let query = try EventQuery(request["q"] ?? "")
    let count = request["count"].flatMap { Int($0) }.map { min(max($0, 1), 500) } ?? Self.count
    // A page without its events does not wait for it.
    let telling = Task { await stories(desk) }
    // Among the newest are those of transactions that are still open, and each of them is looked at.
    let isKept = desk.isBusy && query.isEmpty && count == Self.count
    let catalogue = EventCatalogue(
      database: isKept ? desk.sharedDatabase : desk.database, manifest: desk.manifest)
    let running = Set(desk.report.functions.flatMap(\.events))
    let read: @Sendable () async throws -> [EventCatalogue.Newest] = {
      [
        try await events(query, count, catalogue, running: running),
        query.isEmpty ? try await ticks(catalogue) : EventCatalogue.Newest(),
      ]
    }
    let lists = isKept ? try await desk.newest("the first page's events", read) : try await read()
    let (found, fired) = (lists[0], lists[1])
    let next = try await desk.database.query(
      """
      SELECT c.now, (SELECT min(next_at) FROM runner.schedules WHERE paused_at IS NULL) AS next,
        (SELECT min(at) FROM runner.wakeups WHERE at > c.now) AS waits_until
      FROM (SELECT runner.now() AS now) AS c
      """
    ).only()
    let (told, silence) = await telling.value
    let waiting = await pushes(query, desk)
    var (rows, upkeep) = Self.rows(found, told, isAll: query.isEmpty, upkeep: desk.manifest.upkeep, count)
    upkeep.schedules = Self.quiet(fired.events, told)
    upkeep.hasMore = fired.events.count >= Self.ticks || !fired.isWhole
    let view = NowView(
      query: query, rows: rows, upkeep: upkeep, isWhole: found.isWhole, count: count, silence: silence,
      overdue: try await Overdue.all(in: desk.database),
      outages: try await desk.database.outages(desk.manifest), now: try next.decode("now"),
      nextSchedule: try next.optional("next"), waitsUntil: try next.optional("waits_until"),
      report: desk.report, pulse: desk.pulse,
      functions: desk.manifest.functions.map(\.name),
      limits: Dictionary(desk.manifest.functions.map { ($0.name, $0.concurrency) }) { $1 }, url: desk.url,
      tries: desk.sources.first { $0.place.path == "try" }?.place,
      clock: desk.sources.first { $0.place.path == "clock" }?.place, pushes: waiting,
      people: await desk.people(of: rows.compactMap(\.event).filter { $0.state == .dead }))
    var page = view.page
    page.data = .events(found.events, extent: "\(query.isEmpty ? "without ticks, " : "")the newest \(count) at most")
    return .page(page)
  }

  private func events(
    _ query: EventQuery, _ count: Int, _ catalogue: EventCatalogue, running: Set<String>
  ) async throws -> EventCatalogue.Newest {
    var filter = query.filter
    if query.state == .running {
      let ids = running.map(EventID.init)
      filter.ids = filter.ids.isEmpty ? ids : filter.ids.filter(ids.contains)
      guard !filter.ids.isEmpty else { return EventCatalogue.Newest() }
    }
    filter.leavesOutTicks = query.isEmpty
    var found = try await catalogue.newest(
      filter, states: Self.states(query.state), count: count,
      lookingThrough: query.isEmpty ? Self.historyPages : EventCatalogue.mostPages)
    found.events = try await catalogue.withBlockers(found.events.map { $0.running(running) })
    return found
  }

  /// The pushes that wait, where somebody has asked for all that waits.
  private func pushes(_ query: EventQuery, _ desk: Desk) async -> HTML {
    var html = HTML()
    guard query.state == .waiting, query.filter.isEmpty else { return html }
    for source in desk.sources { html += await source.waiting(until: .distantFuture, desk) ?? HTML() }
    return html
  }

  private func ticks(_ catalogue: EventCatalogue) async throws -> EventCatalogue.Newest {
    var filter = EventFilter()
    filter.cause = .schedule
    return try await catalogue.newest(
      filter, states: [.done], count: Self.ticks, lookingThrough: Self.tickPages)
  }

  /// The stories of the bundle's own pages, or why there are none.
  private func stories(_ desk: Desk) async -> (told: [Story], silence: String?) {
    var (told, silence): ([Story], String?) = ([], nil)
    for source in desk.sources {
      do { told += try await source.stories(desk) } catch {
        silence = (error as? FunctionError)?.message ?? "\(error)"
      }
    }
    return (told, silence)
  }

  /// The events with their stories; where nothing is chosen, also the stories of events that are not listed, and what
  /// led to nothing stands once, so that it does not push the stories off the page: upkeep below the rows.
  ///
  /// - Parameter upkeep: the functions of whose events no notification comes.
  static func rows(
    _ found: EventCatalogue.Newest, _ stories: [Story], isAll: Bool, upkeep: Set<String>, _ count: Int
  ) -> (rows: [EventTable.Row], upkeep: EventTable.Upkeep) {
    var rest = Dictionary(grouping: stories) { "\($0.function) \($0.event)" }
    let events = found.events.map { event in
      // Events of two sources may have one id: the newest is told of first.
      let key = "\(event.function) \(event.id)"
      let story = rest[key]?.first
      rest[key] = rest[key].map { Array($0.dropFirst()) }
      return EventTable.Row(event, story)
    }
    guard isAll else { return (events, EventTable.Upkeep()) }
    let others = rest.values.joined().map { EventTable.Row($0) }
    let isUpkeep = { (row: EventTable.Row) in row.isQuiet && upkeep.contains(row.function) }
    let rows = EventTable.Row.folded((events + others).filter { !isUpkeep($0) }.sorted { $0.at > $1.at })
    let quiet = Dictionary(events.filter(isUpkeep).map { ($0.function, 1) }, uniquingKeysWith: +)
    return (Array(rows.prefix(count)), EventTable.Upkeep(functions: quiet))
  }

  /// How many ticks are in no story.
  private static func quiet(_ ticks: [EventSummary], _ stories: [Story]) -> Int {
    let busy = Set(stories.map { "\($0.function) \($0.event)" })
    return ticks.count { !busy.contains("\($0.function) \($0.id)") }
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
