import Console
import FunctionKit

/// What an event led to, as entries of its timeline: who was told, the deliveries, the provider's answers, and what people did.
struct SequelView {
  /// The explain panel's document about the event.
  let report: RawJSON
  let event: String
  let place: Place
  let links: PanelLinks

  var html: HTML {
    var html = HTML()
    for handling in report["handlings"]?.list ?? [] { html += entries(of: handling) }
    return html
  }

  /// Stands in the place of the entries where the command has failed.
  static func problem(_ sentence: String) -> HTML {
    tag(.li, .class("bad")) {
      tag(.p) { tag(.strong) { "Who was told cannot be said now" } }
      tag(.p) { name(sentence, longest: 1_000) }
    }
  }

  @HTMLBuilder private func entries(of handling: RawJSON) -> HTML {
    let people = handling["people"]?.list ?? []
    let counts = handling["counts"]?.list ?? []
    let total = counts.reduce(0) { $0 + ($1["people"]?.intValue ?? 0) }
    tag(.li, .class("good")) {
      tag(.p) {
        if let at = handling.date("at") { time(at) + HTML(" ") }
        tag(.strong) { total == 1 ? "One person was decided about" : "\(total) people were decided about" }
        " · "
        tag(.a, .href(Address(place.path, event))) {
          "every gate"
          unseen(" of \(handling.string("event") ?? "")")
        }
      }
      if let reason = handling.string("reason") { tag(.p) { name(reason, longest: 400) } }
      if total > 1 {
        tag(.ul, .class("plain")) {
          for count in counts.prefix(12) { Outcome.counted(count) }
        }
      }
    }
    for decision in people { entry(of: decision) }
    if people.count < total {
      tag(.li, .class("next")) {
        tag(.p) {
          tag(.a, .href(Address(place.path, event))) { "\(total - people.count) more people" }
        }
      }
    }
  }

  private func entry(of decision: RawJSON) -> HTML {
    let outcome = Outcome(decision.string("outcome") ?? "")
    let person = decision["person"]
    let pushes = decision["pushes"]?.list ?? []
    return tag(.li, .class(["told": "good", "merged": "good", "held": "next"][outcome.word] ?? "bad")) {
      tag(.p) {
        tag(.strong) { link(title(of: person), to: person?.string("id").flatMap(links.person)) }
        " "
        outcome.html
        " "
        name(outcome.rest(of: decision.string("words") ?? ""), longest: 400)
        if let id = person?.string("id"), let address = links.event(event, person: id) {
          " · "
          tag(.a, .href(address)) {
            "why"
            unseen(" \(title(of: person).clipped(to: 60))")
          }
        }
      }
      if !pushes.isEmpty {
        tag(.ul, .class("plain")) {
          for push in pushes.prefix(Self.devices) {
            let view = PushView(push: push)
            tag(.li) { view.device + HTML(" ") + view.state + HTML(" ") + view.reaction + view.answers }
          }
          if pushes.count > Self.devices {
            tag(.li, .class("faint")) { "and \(pushes.count - Self.devices) more devices" }
          }
        }
      }
    }
  }

  /// How many devices of a person are listed.
  private static let devices = 5
}
