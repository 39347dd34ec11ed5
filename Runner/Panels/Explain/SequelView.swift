import Console
import Documents

/// The consequences of an event, as entries of its timeline: who was told, the deliveries, the provider's answers, and
/// what people did.
struct SequelView {
  /// The explain panel's document about the event.
  let report: ExplainDocument
  let event: String
  let place: NavigationEntry
  let links: PanelLinks

  var html: HTML {
    var html = HTML()
    for handling in report.handlings { html += entries(of: handling) }
    return html
  }

  /// Stands in the place of the entries where the command has failed.
  static func problem(_ sentence: String) -> HTML {
    tag(.li, .class("bad")) {
      tag(.p) { tag(.strong) { "The people who were told cannot be shown now" } }
      tag(.p) { name(sentence, longest: 1_000) }
    }
  }

  @HTMLBuilder private func entries(of handling: ExplainDocument.Handling) -> HTML {
    let total = handling.candidates
    tag(.li, .class("good")) {
      tag(.p) {
        time(handling.at, hasSeconds: true)
        " "
        tag(.strong) { total == 1 ? "One person was decided about" : "\(total) people were decided about" }
        " · "
        tag(.a, .href(Address(place.path, event))) {
          "every gate"
          unseen(" of \(handling.event)")
        }
      }
      if let reason = handling.reason { tag(.p) { name(reason, longest: 400) } }
      if total > 1 {
        tag(.ul, .class("plain")) {
          for count in handling.counts.inOrder.prefix(12) { count.entry }
        }
      }
    }
    let people = handling.people.oneOfEachPush.inOrder(of: \.outcome)
    for (index, decision) in people.enumerated() {
      // The same words stand there once.
      entry(of: decision, saying: !people[..<index].contains { $0.hasRung && $0.said == decision.said })
    }
    if handling.people.count < total {
      tag(.li, .class("next")) {
        tag(.p) {
          tag(.a, .href(Address(place.path, event))) { "\(total - handling.people.count) more people" }
        }
      }
    }
  }

  private func entry(of decision: DecisionReport, saying saysIt: Bool) -> HTML {
    let (outcome, person, pushes) = (decision.outcome, decision.person, decision.pushes)
    return tag(.li, .class(kind(of: outcome))) {
      tag(.p) {
        tag(.strong) { link(title(of: person), to: links.person(person.id)) }
        " "
        decision.shownOutcome.html
        " "
        decision.restOnPage
        if let address = links.event(event, person: person.id) {
          " · "
          tag(.a, .href(address)) {
            "why"
            unseen(" \(title(of: person).clipped(to: 60))")
          }
        }
      }
      if saysIt, decision.hasRung, let said = decision.said { SaidView(said: said, app: decision.app).html }
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

  /// The class of an entry, which gives it its colour.
  private func kind(of outcome: DecisionOutcome) -> String {
    switch outcome {
    case .told, .merged: "good"
    case .held: "next"
    case .notTold: "calm"
    }
  }

  /// How many devices of a person are listed.
  private static let devices = 5
}
