import Console
import Documents
import FoundationEssentials

/// One person: what they were told and what not, and how things are with them in each app.
struct PersonView {
  /// The `page` of a people document.
  let page: PersonDocument
  let choice: Choice
  let place: NavigationEntry
  let links: PanelLinks

  /// The choices in the address of the page.
  struct Choice {
    static let spans = ["1d", "7d", "30d", "90d"]

    let span: String
    /// The outcome to which the list is narrowed; `nil` for all.
    let outcome: DecisionOutcome?
    /// Where the list of decisions goes on; `nil` at its beginning.
    let before: String?
    /// The app to which the page is narrowed, where it shows more of its devices.
    let app: String?
    /// Where the list of devices goes on; `nil` at its beginning.
    let devicesAfter: String?

    init(_ request: PageRequest) {
      span = request["since"].flatMap { Self.spans.contains($0) ? $0 : nil } ?? "7d"
      outcome = request["show"].flatMap(DecisionOutcome.init(rawValue:))
      (before, app, devicesAfter) = (request["before"], request["app"], request["devices"])
    }
  }

  private var person: PersonSummary { page.person }
  private var address: Address { Address(place.path, person.id.description) }
  /// The same choice of decisions, of all apps.
  private var chosen: Address { address.with("since", choice.span).with("show", choice.outcome?.rawValue) }
  /// The same choice, at the beginning of its list.
  private var first: Address { chosen.with("app", choice.app) }

  var html: Page {
    Page(title(of: person), in: place.path, live: [.events]) {
      tag(.p) {
        name(person.email ?? "no e-mail address")
        " · "
        tag(.code) { person.id.description }
        if let phones = links.phones(of: person.id) {
          " · "
          tag(.a, .href(phones)) { "their phones" }
        }
      }
      part("What they were told, and what not") {
        choices
        tag(.div, .region("decisions")) { decisions }
      }
      for app in page.apps {
        AppView(app: app, now: page.now, isPart: choice.devicesAfter != nil, person: chosen).html
      }
      if choice.app != nil { tag(.p) { tag(.a, .href(chosen)) { "All apps of \(title(of: person).isolated)" } } }
      if page.apps.isEmpty {
        emptiness("They have no device, no settings and no notification of any app.")
      }
    }
  }

  private var choices: HTML {
    tag(.form, .class("search"), .get, .action(address)) {
      tag(.label) {
        "Since"
        tag(.select, .name("since")) {
          for one in Choice.spans {
            tag(.option, .value(one), one == choice.span ? .selected : nil) {
              one == "1d" ? "a day" : "\(one.dropLast()) days"
            }
          }
        }
      }
      tag(.label) {
        "Outcome"
        tag(.select, .name("show")) {
          tag(.option, .value("")) { "all" }
          for outcome in DecisionOutcome.allCases {
            let word = outcome.rawValue
            tag(.option, .value(word), word == choice.outcome?.rawValue ? .selected : nil) { outcome.title }
          }
        }
      }
      if let app = choice.app { tag(.input, .type("hidden"), .name("app"), .value(app)) }
      tag(.button) { "Show" }
    }
  }

  /// The page as a people document has it, and the decisions as a table.
  var data: PageData {
    let document = PeopleDocument([page.person], hasMore: false, page: page)
    let extent = "\(page.decisions.count) of \(BoundedCount.words(page.total)) decisions"
    return PageData(document, extent: extent) { [decisions = page.decisions] in .decisions(decisions) }
  }

  @HTMLBuilder private var decisions: HTML {
    let all = page.decisions
    if all.isEmpty, choice.before == nil, page.next == nil, choice.outcome == nil {
      emptiness(
        "Nothing was decided about them in this time. Either nothing concerned them, or the events still wait.")
    } else {
      tag(.p, .class("faint")) { count }
      if all.isEmpty {
        emptiness(
          page.next == nil
            ? "None has this outcome." : "None of those looked through has this outcome; older ones may.")
      } else {
        table(
          "Decisions, the newest first", ["when", "outcome", "about", "what was said, or why not", "event"],
          class: "stack"
        ) {
          for decision in all { row(decision) }
        }
      }
      if page.next != nil || choice.before != nil {
        tag(.p, .class("buttons")) {
          if choice.before != nil { tag(.a, .class("button"), .href(first)) { "The newest" } }
          if let next = page.next {
            tag(.a, .class("button"), .id("older"), .href(first.with("before", next))) { "Older" }
          }
        }
      }
    }
  }

  /// How many of each outcome are listed, and how many there are in all.
  private var count: String {
    let all = page.decisions
    let counts = DecisionOutcome.allCases.compactMap { outcome in
      let count = all.count { $0.outcome == outcome }
      return count == 0 ? nil : "\(count) \(outcome.title)"
    }.joined(separator: ", ")
    let total = BoundedCount.words(page.total)
    if choice.before != nil || choice.outcome != nil {
      return "\(counts.isEmpty ? "none" : counts) here, of \(total) in all"
    }
    return counts + (page.next == nil ? "" : " of the newest \(all.count) of \(total)")
  }

  /// The words of their phones about it, now or later; nothing where they are not told.
  @HTMLBuilder private func said(_ decision: DecisionReport) -> HTML {
    if decision.hasRung, let said = decision.said {
      if let title = said.title {
        tag(.p, .dir("auto")) { tag(.strong) { title.clipped(to: 80) } }
      }
      if let body = said.body { tag(.p, .dir("auto")) { body.clipped(to: 160) } }
    } else if decision.rest.isEmpty {
      "No words are kept of it."
    }
  }

  private func row(_ decision: DecisionReport) -> HTML {
    let event = decision.event
    return tag(.tr) {
      cell("tight") { ago(decision.at, now: page.now) }
      cell { decision.outcome.html }
      cell {
        name(decision.kind.words)
        tag(.small) { " \(decision.app)" }
        tag(.br)
        // Of a subject that is gone nobody knows more than its id.
        if let subject = decision.subjectName { name(subject) } else { tag(.code) { name(decision.subject) } }
      }
      cell("text") {
        said(decision)
        decision.restOnPage
        PushView.outages(of: decision)
      }
      cell {
        if let address = links.event(event, person: person.id, function: decision.function) {
          tag(.a, .id("e-\(event)-\(decision.subject)"), .href(address)) {
            "every gate"
            unseen("of \(decision.kind.words)")
          }
        } else {
          tag(.code) { name(event) }
        }
      }
    }
  }
}
