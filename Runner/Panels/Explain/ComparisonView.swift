import Console
import Documents

/// A comparison of the people who would be told of an event now with those who were told.
struct ComparisonView {
  /// The explain panel's document about the event; `nil` if nothing was decided.
  let then: ExplainDocument?
  /// The document about a dry run of it.
  let now: ExplainDocument
  let links: PanelLinks

  private struct Row {
    let person: PersonSummary
    var then: DecisionReport?
    var now: DecisionReport?

    /// Whether it is another decision, or for another reason.
    var hasChanged: Bool { Self.verdict(then) != Self.verdict(now) }

    /// The first decision, whatever came after a hold.
    private static func verdict(_ decision: DecisionReport?) -> [String?] {
      decision.map { [$0.verdict.decision.rawValue, $0.verdict.reason] } ?? []
    }
  }

  var html: HTML {
    let rows = rows
    let changed = rows.filter(\.hasChanged)
    return tag(.div) {
      tag(.p, .class("callout \(changed.isEmpty ? "good" : "notice")")) {
        then == nil
          ? "Nothing was decided about it yet."
          : changed.isEmpty ? "It would be decided as it was." : "\(changed.count) of \(rows.count) would differ."
      }
      if rows.isEmpty {
        tag(.p) { "It would concern nobody." }
      } else {
        table("Who would be told now, and who was told", ["person", "then", "now", "differs"], class: "stack") {
          for row in changed + rows.filter({ !$0.hasChanged }) {
            tag(.tr) {
              tag(.th, .scope("row")) {
                link(title(of: row.person), to: links.person(row.person.id))
              }
              cell("text") { decision(row.then, "then: ") }
              cell("text") { decision(row.now, "now: ") }
              cell { row.hasChanged ? badge("differs", "notice") : HTML() }
            }
          }
        }
      }
      if let total = now.handlings.first?.candidates, now.people.count < total {
        tag(.p, .class("faint")) { "\(now.people.count) of \(total) people." }
      }
    }
  }

  /// Each person that one of the documents has.
  private var rows: [Row] {
    var rows = now.people.map { Row(person: $0.person, now: $0) }
    var places = Dictionary(rows.enumerated().map { ($1.person.id, $0) }) { first, _ in first }
    for decision in then?.people ?? [] {
      let id = decision.person.id
      if let place = places[id] {
        rows[place].then = decision
      } else {
        places[id] = rows.count
        rows.append(Row(person: decision.person, then: decision))
      }
    }
    return rows
  }

  @HTMLBuilder private func decision(_ decision: DecisionReport?, _ what: String) -> HTML {
    unseen(what)
    if let decision {
      decision.outcome.html
      name(" \(decision.rest)", longest: 300)
    } else {
      "not concerned"
    }
  }
}

extension ExplainDocument {
  fileprivate var people: [DecisionReport] { handlings.flatMap(\.people) }
}
