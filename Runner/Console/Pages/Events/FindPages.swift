import Documents
import FunctionKit
import Inspection
import Manifest
import Metrics

/// Looks for people, events, functions and dead letters at once.
struct FindPages: PageSource {
  /// How many of each are listed.
  private static let most = 8
  /// How many of the newest dead letters are looked through.
  private static let dead = 200
  /// Where more events than these are tried again, they are not looked through.
  private static let mostRetries = 10_000

  let place = NavigationEntry("find", "Find", key: "f")
  let isListed = false
  let usesCounts = true

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard request.path.count == 1, request.form == nil else { throw NoSuchPage() }
    let text = (request["q"] ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard !text.isEmpty else {
      return .page(Page("Find", in: "-") { emptiness("Enter a name, a word, an id, or a filter as state:dead.") })
    }
    if EventQuery.isFilter(text) { return .redirect(Address().with("q", text)) }
    let told = Task { await stories(text, desk) }
    var parts = HTML()
    for source in desk.sources {
      do { parts += try await source.find(text, desk) ?? HTML() } catch { parts += Self.failure(source.place, error) }
    }
    parts += await told.value
    let functions = desk.manifest.functions.map(\.name).filter { $0.has(text) }
    parts += Self.section("Functions", functions.map { Found($0, at: Address("functions", $0)) })
    parts += try await events(text, desk)
    let entries = parts.source.ranges(of: "<li>").count
    let news = parts.isEmpty ? "Nothing is found." : "\(entries) found for \(text.clipped(to: 60))."
    var page = Page("Find “\(text.clipped(to: 60))”", in: "-") {
      tag(.div, .id("found"), .data("news", news)) {
        if parts.isEmpty { emptiness("Nobody and nothing has “\(text.clipped(to: 200))” in their name, words or id.") }
        parts
      }
    }
    page.search = text
    return .page(page)
  }

  /// An entry of what was found.
  private struct Found {
    let title: String
    let address: Address
    let more: String

    init(_ title: String, at address: Address, _ more: String = "") {
      (self.title, self.address, self.more) = (title, address, more)
    }
  }

  private static func section(_ title: String, _ found: [Found]) -> HTML {
    guard !found.isEmpty else { return HTML() }
    return part(title) {
      tag(.ul, .class("plain")) {
        for one in found.prefix(most) {
          tag(.li) {
            tag(.a, .href(one.address)) { name(one.title, longest: 200) }
            " "
            tag(.small) { name(one.more, longest: 200) }
          }
        }
        if found.count > most { tag(.li, .class("faint")) { "and more: a longer search finds fewer" } }
      }
    }
  }

  private static func failure(_ place: NavigationEntry, _ error: any Error) -> HTML {
    tag(.p, .class("callout bad")) {
      "\(place.title) cannot be looked through now: "
      name((error as? FunctionError)?.message ?? "\(error)", longest: 300)
    }
  }

  /// The events whose stories have the words.
  private func stories(_ text: String, _ desk: Desk) async -> HTML {
    var html = HTML()
    for source in desk.sources {
      do {
        let found = try await source.stories(desk).filter { $0.title.has(text) || $0.event.has(text) }
        html += Self.section(
          "Events",
          found.map { story in
            let address =
              desk.manifest.history.has(story.at)
              ? Address("event", story.event).with("function", story.function) : story.address
            return Found(story.title, at: address, story.event)
          })
      } catch { html += Self.failure(source.place, error) }
    }
    return html
  }

  /// The events with that id, and the newest dead letters with the words.
  private func events(_ text: String, _ desk: Desk) async throws -> HTML {
    let catalogue = EventCatalogue(database: desk.database, manifest: desk.manifest)
    var filter = EventFilter()
    let dead = try await catalogue.list(filter, states: [.dead], count: Self.dead).filter { letter in
      [letter.function, letter.kind, letter.code, letter.error, letter.id].contains { $0?.has(text) == true }
    }
    let id = EventID(text)
    filter.ids = [id.onlyPlace ?? id]
    var states: [EventSummary.State] = [.dead, .done, .failed]
    if id.place != nil { states.append(.waiting) }
    // No index has the ids that events came with, so all that are tried again are read.
    if id.place != nil || desk.pulse.retrying <= Self.mostRetries { states.append(.retrying) }
    let same = try await catalogue.list(filter, states: states, count: Self.most).filter { event in
      !dead.contains { ($0.function, $0.id) == (event.function, event.id) }
    }
    return Self.section("Events with this id", same.map(Self.found))
      + Self.section("Dead letters", dead.map(Self.found))
  }

  private static func found(_ event: EventSummary) -> Found {
    let code = event.code == "OK" ? nil : event.code
    let more = [event.kind, event.state.rawValue, code].compactMap(\.self).joined(separator: " · ")
    return Found("\(event.function) \(event.id)", at: event.address, more)
  }
}

extension String {
  /// Whether it has a text somewhere, whatever the case.
  fileprivate func has(_ text: String) -> Bool { lowercased().contains(text.lowercased()) }
}
