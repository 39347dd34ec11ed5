import Console
import FoundationEssentials
import FunctionKit

/// One person: what they were told and what not, and how things are with them in each app.
struct PersonView {
  /// The `page` of a people document.
  let page: RawJSON
  let span: String
  /// The outcome to which the list is narrowed; `nil` for all.
  let shown: String?
  let place: Place
  let links: PanelLinks

  private var person: RawJSON? { page["person"] }
  private var id: String { person?.string("id") ?? "" }
  private var address: Address { Address(place.path, id) }

  var html: Page {
    Page(title(of: person), in: place.path, live: [.events]) {
      tag(.p) {
        name(person?.string("email") ?? "no e-mail address")
        " · "
        tag(.code) { id }
        if let phones = links.phones(of: id) {
          " · "
          tag(.a, .href(phones)) { "their phones" }
        }
      }
      part("What they were told, and what not") {
        choices
        tag(.div, .region("decisions")) { decisions }
      }
      for app in page["apps"]?.list ?? [] {
        AppView(app: app, now: page.date("now") ?? .now).html
      }
      if page["apps"]?.list.isEmpty != false {
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
          for word in Outcome.all {
            tag(.option, .value(word), word == shown ? .selected : nil) { Outcome(word).title }
          }
        }
      }
      tag(.button) { "Show" }
    }
  }

  private var decisions: HTML {
    let all = page["decisions"]?.list ?? []
    let listed = all.filter { shown == nil || $0.string("outcome") == shown }
    let total = page["total"]?.intValue ?? all.count
    guard !all.isEmpty else {
      return emptiness(
        "Nothing was decided about them in this time. Either nothing concerned them, or the events still wait.")
    }
    return tag(.p, .class("faint")) {
      Outcome.all.compactMap { word in
        let count = all.count { $0.string("outcome") == word }
        return count == 0 ? nil : "\(count) \(Outcome(word).title)"
      }.joined(separator: ", ") + (total > all.count ? " of the newest \(all.count) of \(total)" : "")
    }
      + (listed.isEmpty
        ? emptiness("None has this outcome.")
        : table("Decisions, the newest first", ["when", "outcome", "about", "why", "event"], class: "stack") {
          for decision in listed { row(decision) }
        })
  }

  private func row(_ decision: RawJSON) -> HTML {
    let event = decision.string("event") ?? ""
    return tag(.tr) {
      cell("tight") { if let at = decision.date("at") { time(at) } }
      cell { Outcome(decision.string("outcome") ?? "").html }
      cell {
        name(decision.words("kind"))
        tag(.small) { " \(decision.string("app") ?? "")" }
      }
      cell("text") {
        name(decision.string("words") ?? "", longest: 400)
        PushView.outages(of: decision)
      }
      cell {
        if let address = links.event(event, person: id, function: decision.string("function")) {
          tag(.a, .id("e-\(event)-\(decision.string("subject") ?? "")"), .href(address)) {
            "every gate"
            unseen("of \(decision.words("kind"))")
          }
        } else {
          tag(.code) { name(event) }
        }
      }
    }
  }
}
