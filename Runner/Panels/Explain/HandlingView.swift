import Console
import Documents

/// The decisions of one function about an event: how many people each gate stopped, and each one's way through them.
struct HandlingView {
  let handling: ExplainDocument.Handling
  /// The title of the page, which says already what happened.
  let title: String
  /// Its place among those of the event.
  let number: Int
  let event: String
  /// Whether only one person is asked about.
  let isOfOne: Bool
  /// Whether the people are not the first ones.
  let isPart: Bool
  let place: NavigationEntry
  let links: PanelLinks

  private var people: [DecisionReport] { handling.people }
  private var total: Int { handling.candidates }

  var html: HTML {
    part(handling.function) {
      if let about = people.title, about != title { tag(.p) { name(about, longest: 200) } }
      if isOfOne { tag(.p) { tag(.a, .href(Address(place.path, event))) { "Everybody whom it concerned" } } }
      if let reason = handling.reason { tag(.p, .class("callout")) { name(reason, longest: 400) } }
      if total == 0, handling.reason == nil {
        emptiness(
          handling.isFinished
            ? "Nobody had to know." : "It is being handled: nothing is decided yet.")
      }
      if !isOfOne, total > 1 { groups }
      if people.count <= 2, !isPart {
        for (index, person) in people.inOrder(of: \.outcome).enumerated() {
          LadderView(decision: person, number: number * 100 + index + 1, links: links).html
        }
      } else {
        GateMatrix(people: people, total: total) { self.links.event(self.event, person: $0) }.html
      }
      if handling.next != nil || isPart { turning }
      tag(.p) {
        tag(.small) {
          "decided "
          time(handling.at)
          " · \(total == 1 ? "1 person" : "\(total) people") · from "
          name(handling.source)
          " · event "
          tag(.code) { name(handling.event) }
        }
      }
    }
  }

  /// The ways to the first people and to those who come next.
  private var turning: HTML {
    let first = Address(place.path, event).with("function", handling.function)
      .with("user", isOfOne ? people.first?.person.id.description : nil)
    return tag(.p, .class("buttons")) {
      if isPart { tag(.a, .class("button"), .href(first)) { "The first people" } }
      if let next = handling.next {
        tag(.a, .class("button"), .id("more-\(number)"), .href(first.with("after", next))) { "More people" }
      }
    }
  }

  /// How many people each decision is about.
  private var groups: HTML {
    tag(.ul, .class("tiles")) {
      for count in handling.counts.inOrder {
        tag(.li) {
          tag(.strong) { "\(count.people)" }
          DecisionOutcome(count.decision).html
          if count.decision != .notify {
            tag(.br)
            tag(.small) { name(count.rest, longest: 200) }
          }
        }
      }
    }
  }
}
