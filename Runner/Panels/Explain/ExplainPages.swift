import CLI
import Console
import Documents
import FoundationEssentials
import FunctionKit
import Manifest

/// Shows who was told of an event and who was not, and which gate stopped them.
struct ExplainPages: PageSource {
  let panel: PanelEntry
  let links: PanelLinks

  /// How many people of an event are listed at once.
  private static let most = "25"
  /// How many people a comparison looks at.
  private static let mostCompared = "200"
  private static let mostInList = 50
  /// How many people the page of an event itself lists.
  private static let mostInSequel = "12"

  var place: NavigationEntry { panel.place(key: "x") }

  private var command: RunnerCommand { .ofBundle([panel.command], changes: false) }

  func answer(_ request: PageRequest, _ desk: Desk) async throws -> PageAnswer {
    guard request.form == nil, request.path.count <= 2 else { throw NoSuchPage() }
    guard request.path.count == 2 else {
      if let event = request["event"] { return .redirect(Address(place.path, event)) }
      return .page(list(Array(try await recent(desk).prefix(Self.mostInList)), now: desk.now))
    }
    let event = request.path[1]
    let asking = try command.with(event).with("--count", Self.most).with("--user", request["user"])
      .with("--function", request["function"]).with("--after", request["after"])
    let report: ExplainDocument
    switch try await desk.run(asking, as: ExplainAnswer.self) {
    case .event(let decisions): report = decisions
    case .person(let person):
      // A person's address was looked for.
      guard let address = links.person(person.id) else {
        throw FunctionError(.noInput, "That is a person, and no event.")
      }
      return .redirect(address)
    }
    let title = report.handlings.lazy.compactMap(\.people.title).first ?? "Event \(event.clipped(to: 80))"
    var page = Page(title.clipped(to: 200), in: place.path, live: [.events]) {
      tag(.p) {
        tag(.a, .href(place.address)) { "All events" }
        " · "
        if let first = report.handlings.first, desk.manifest.history.has(first.at) {
          tag(.a, .href(Address("event", event).with("function", first.function))) { "the event" }
        } else {
          "the event itself is no longer kept"
        }
      }
      tag(.div, .region("event")) {
        for (index, handling) in report.handlings.enumerated() {
          HandlingView(
            handling: handling, title: title, number: index, event: event, isOfOne: request["user"] != nil,
            isPart: request["after"] != nil, place: place, links: links
          ).html
        }
      }
    }
    page.data = PageData(report.asShown, extent: "\(Self.most) people of each function at most") {
      .decisions(report.handlings.flatMap(\.people))
    }
    return .page(page)
  }

  func sequel(of event: String, function: String, _ desk: Desk) async -> Sequel? {
    do {
      var command = try command.with(event).with("--count", Self.mostInSequel).with("--function", function)
      command.timeLimit = .seconds(5)
      let report = try await desk.run(command, as: ExplainDocument.self)
      return Sequel(
        title: report.handlings.lazy.compactMap(\.people.title).first,
        entries: SequelView(report: report, event: event, place: place, links: links).html,
        people: report.handlings.reduce(0) { $0 + $1.candidates })
    } catch let error as FunctionError where error.code == .noInput {
      return nil
    } catch {
      return Sequel(entries: SequelView.problem((error as? FunctionError)?.message ?? "\(error)"))
    }
  }

  func comparison(of event: String, function: String, now body: String, _ desk: Desk) async -> HTML? {
    do {
      var rehearsal = try command.with(flag: "--dry-run").with("--function", function).with(flag: "-")
      rehearsal.input = Array(body.utf8)
      let now = try await desk.run(rehearsal, as: ExplainDocument.self)
      // An event that was not handled yet is unknown to the command.
      let then = try? await desk.run(
        try command.with(event).with("--function", function).with("--count", Self.mostCompared),
        as: ExplainDocument.self)
      return ComparisonView(then: then, now: now, links: links).html
    } catch let error as FunctionError where error.code == .usage {
      // Its function decides about nobody, or the bundle's command knows no dry run.
      return nil
    } catch {
      return SequelView.problem((error as? FunctionError)?.message ?? "\(error)")
    }
  }

  func stories(_ desk: Desk) async throws -> [Story] {
    try await recent(desk).map { handled in
      let view = StoryView(handled)
      return Story(
        event: handled.event, function: handled.function, at: handled.at,
        title: handled.whatHappened ?? handled.function,
        people: view.fates + GatheredView(handled: handled, links: links).html, push: view.push,
        otherTexts: view.otherTexts, address: address(of: handled))
    }
  }

  /// Where it is told in full: where a wait was over for one person, on their page.
  private func address(of handled: RecentDocument.Handled) -> Address {
    let first = handled.people?.first
    if handled.title != nil, handled.people?.count == 1, let first, let page = links.person(first.person.id) {
      return page
    }
    let function = handled.title == nil ? handled.function : first?.function
    return Address(place.path, handled.event).with("function", function)
  }

  /// The same for all pages, so that they share one run.
  private func recent(_ desk: Desk) async throws -> [RecentDocument.Handled] {
    var command = try command.with(flag: "--recent").with("--count", "100")
    command.timeLimit = .seconds(2)
    return try await desk.newest(command, as: RecentDocument.self).events
  }

  private func list(_ events: [RecentDocument.Handled], now: Date) -> Page {
    var page = Page(panel.title, in: place.path, live: [.events]) {
      tag(.form, .class("search"), .get, .action(place.address), .role("search")) {
        tag(.label) {
          "Event's id"
          tag(.input, .type("search"), .name("event"), .autocomplete("off"), .noSpelling, .required)
        }
        tag(.button, .class("main")) { "Explain" }
      }
      tag(.div, .region("events")) {
        if events.isEmpty {
          emptiness("No function has decided about anybody yet. The first event that concerns people appears here.")
        } else {
          table("Events that functions decided about last", ["when", "event", "people"], class: "stack") {
            for event in events {
              let id = event.event
              let again = event.title.map { _ in "-\(TimeText.exact(event.at))" } ?? ""
              tag(.tr) {
                cell("tight") { ago(event.at, now: now) }
                tag(.th, .scope("row")) {
                  tag(
                    .a, .id("e-\(id)-\(event.function)-\(event.source)\(again)"),
                    .href(event.title == nil ? Address(place.path, id) : address(of: event))
                  ) {
                    name(event.whatHappened ?? id, longest: 200)
                  }
                  tag(.br)
                  tag(.small) { name("\(event.function) · \(id)", longest: 200) }
                }
                cell("text") {
                  StoryView(event).fates
                  GatheredView(handled: event, links: links).html
                }
              }
            }
          }
        }
      }
    }
    page.data = PageData(RecentDocument(events: events.map(\.asShown)), extent: "the newest \(Self.mostInList) at most")
    {
      CSV(
        events,
        [
          ("at", { TimeText.exact($0.at) }), ("event", { $0.event }), ("function", { $0.function }),
          ("source", { $0.source }), ("what", { $0.whatHappened }),
          ("people", { one in one.counts.map { "\($0.people) \($0.words)" }.joined(separator: "; ") }),
        ])
    }
    return page
  }
}
