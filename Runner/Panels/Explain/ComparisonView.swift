import Console
import FunctionKit

/// Who would be told of an event now, beside who was told.
struct ComparisonView {
  /// The explain panel's document about the event; `nil` if nothing was decided.
  let then: RawJSON?
  /// The document about a dry run of it.
  let now: RawJSON
  let links: PanelLinks

  private struct Row {
    let person: RawJSON?
    var then: RawJSON?
    var now: RawJSON?

    /// Whether it is another decision, or for another reason.
    var hasChanged: Bool { Self.verdict(then) != Self.verdict(now) }

    /// What was decided first, whatever came after a hold.
    private static func verdict(_ decision: RawJSON?) -> [String?] {
      guard let decision else { return [] }
      guard let verdict = decision["verdict"] else { return [decision.string("outcome"), decision.string("words")] }
      return [verdict.string("decision"), verdict.string("reason")]
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
                link(title(of: row.person), to: row.person?.string("id").flatMap(links.person))
              }
              cell("text") { decision(row.then, "then: ") }
              cell("text") { decision(row.now, "now: ") }
              cell { row.hasChanged ? badge("differs", "notice") : HTML() }
            }
          }
        }
      }
      if let total = total(now), people(of: now).count < total {
        tag(.p, .class("faint")) { "\(people(of: now).count) of \(total) people." }
      }
    }
  }

  /// Each person that one of the documents has.
  private var rows: [Row] {
    var rows = people(of: now).map { Row(person: $0["person"], now: $0) }
    var places = Dictionary(rows.enumerated().map { ($1.person?.string("id") ?? "", $0) }) { first, _ in first }
    for decision in then.map(people) ?? [] {
      let id = decision["person"]?.string("id") ?? ""
      if let place = places[id] {
        rows[place].then = decision
      } else {
        places[id] = rows.count
        rows.append(Row(person: decision["person"], then: decision))
      }
    }
    return rows
  }

  private func people(of document: RawJSON) -> [RawJSON] {
    (document["handlings"]?.list ?? []).flatMap { $0["people"]?.list ?? [] }
  }

  private func total(_ document: RawJSON) -> Int? {
    document["handlings"]?.list.first?["counts"]?.list.reduce(0) { $0 + ($1["people"]?.intValue ?? 0) }
  }

  @HTMLBuilder private func decision(_ decision: RawJSON?, _ what: String) -> HTML {
    unseen(what)
    if let decision {
      let outcome = Outcome(decision.string("outcome") ?? "")
      outcome.html
      name(" \(outcome.rest(of: decision.string("words") ?? ""))", longest: 300)
    } else {
      "not concerned"
    }
  }
}
