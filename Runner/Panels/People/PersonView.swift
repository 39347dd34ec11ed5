import Console
import Documents
import FoundationEssentials

/// One person: what they were told and what not, and how things are with them in each app.
struct PersonView {
  /// The `page` of a people document.
  let page: PersonDocument
  let span: String
  /// The outcome to which the list is narrowed; `nil` for all.
  let shown: String?
  let place: Place
  let links: PanelLinks

  private var person: PersonSummary { page.person }
  private var address: Address { Address(place.path, person.id.description) }

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
      for app in page.apps { AppView(app: app, now: page.now).html }
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
          for one in PeoplePages.spans {
            tag(.option, .value(one), one == span ? .selected : nil) {
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
            tag(.option, .value(word), word == shown ? .selected : nil) { outcome.title }
          }
        }
      }
      tag(.button) { "Show" }
    }
  }

  /// The decisions with the outcome that is asked for.
  private var listed: [DecisionReport] { page.decisions.filter { shown == nil || $0.outcome.rawValue == shown } }

  /// The page as a people document has it, and the decisions as a table.
  var data: PageData {
    var page = page
    page.decisions = listed
    let document = PeopleDocument([page.person], hasMore: false, page: page)
    return PageData(document, extent: "the newest \(self.page.decisions.count) of \(page.total) decisions") {
      [decisions = listed] in .decisions(decisions)
    }
  }

  private var decisions: HTML {
    let (all, total, listed) = (page.decisions, page.total, listed)
    guard !all.isEmpty else {
      return emptiness(
        "Nothing was decided about them in this time. Either nothing concerned them, or the events still wait.")
    }
    return tag(.p, .class("faint")) {
      DecisionOutcome.allCases.compactMap { outcome in
        let count = all.count { $0.outcome == outcome }
        return count == 0 ? nil : "\(count) \(outcome.title)"
      }.joined(separator: ", ") + (total > all.count ? " of the newest \(all.count) of \(total)" : "")
    }
      + (listed.isEmpty
        ? emptiness("None has this outcome.")
        : table("Decisions, the newest first", ["when", "outcome", "about", "why", "event"], class: "stack") {
          for decision in listed { row(decision) }
        })
  }

  private func row(_ decision: DecisionReport) -> HTML {
    let event = decision.event
    return tag(.tr) {
      cell("tight") { time(decision.at) }
      cell { decision.outcome.html }
      cell {
        name(decision.kind.words)
        tag(.small) { " \(decision.app)" }
        tag(.br)
        // Of a subject that is gone nobody knows more than its id.
        if let subject = decision.subjectName { name(subject) } else { tag(.code) { name(decision.subject) } }
      }
      cell("text") {
        name(decision.words, longest: 400)
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
