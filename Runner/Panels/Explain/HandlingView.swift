import Console
import FunctionKit

/// What one function decided about an event: how many people each gate stopped, and each person's way through the gates.
struct HandlingView {
  let handling: RawJSON
  /// Its place among those of the event.
  let number: Int
  let event: String
  /// Whether only one person is asked about.
  let isOfOne: Bool
  let place: Place
  let links: PanelLinks

  private var people: [RawJSON] { handling["people"]?.list ?? [] }
  private var counts: [RawJSON] { handling["counts"]?.list ?? [] }
  private var total: Int { counts.reduce(0) { $0 + ($1["people"]?.intValue ?? 0) } }

  var html: HTML {
    part(handling.string("function") ?? "") {
      facts([
        ("decided", handling.date("at").map { time($0) } ?? HTML()),
        ("from", name(handling.string("source") ?? "")), ("about", name(people.first?.words("kind") ?? "nobody")),
        ("people", HTML("\(total)")),
      ])
      if isOfOne { tag(.p) { tag(.a, .href(Address(place.path, event))) { "Everybody whom it concerned" } } }
      if let reason = handling.string("reason") { tag(.p, .class("callout")) { name(reason, longest: 400) } }
      if total == 0, handling.string("reason") == nil {
        emptiness(
          handling["isFinished"]?.isTrue == true
            ? "Nobody had to know." : "It is being handled: nobody is decided about yet.")
      }
      if !isOfOne, total > 0 { groups }
      if people.count <= 2 {
        for (index, person) in people.enumerated() {
          LadderView(decision: person, number: number * 100 + index + 1, links: links).html
        }
      } else {
        GateMatrix(people: people, total: total) { self.links.event(self.event, person: $0) }.html
      }
    }
  }

  /// How many people each decision is about, the largest group first.
  private var groups: HTML {
    tag(.ul, .class("tiles")) {
      for count in counts {
        tag(.li) {
          tag(.strong) { count["people"]?.numberText ?? "" }
          Outcome(decision: count.string("decision") ?? "").html
          if count.string("decision") != "notify" {
            tag(.br)
            tag(.small) { name(count.string("words") ?? "", longest: 200) }
          }
        }
      }
    }
  }
}
