import Console
import Documents
import Foundation
import Testing

@testable import Panels

/// The order in which pages list people.
struct OutcomeOrderTests {
  private func decision(_ name: String, _ outcome: DecisionOutcome) -> DecisionReport {
    var decision = DecisionReport(
      person: PersonSummary(id: RowID(uuid: UUID()), name: name, email: nil),
      recipientReason: "submitter", app: "lockitin", kind: "new_vote", subject: "s", event: "e", function: "f",
      at: .distantPast, verdict: Verdict(decision: .notify, reason: nil), gates: [])
    decision.outcome = outcome
    return decision
  }

  @Test func whoWasToldStandsBeforeWhoWasHeldAndWhoWasNotTold() {
    let people = [decision("Dan", .notTold), decision("Hugo", .held), decision("Ada", .told)]
    let counts = people.map { one in
      let word: Verdict.Word = one.outcome == .told ? .notify : one.outcome == .held ? .hold : .suppress
      return DecisionCount(decision: word, reason: nil, people: 1, words: "")
    }
    let handling = ExplainDocument.Handling(
      function: "f", source: "/a/source", event: "the-id", at: .distantPast, counts: counts, reason: nil,
      isFinished: true, people: people)
    var handled = RecentDocument.Handled(event: "e", function: "f", source: "s", at: .distantPast, counts: counts)
    handled.people = people
    let (links, place) = (PanelLinks([]), Place("explain", "Explain", key: "x"))
    let report = ExplainDocument(event: "the-id", dryRun: false, handlings: [handling])
    let explained = HandlingView(
      handling: handling, title: "t", number: 0, event: "the-id", isOfOne: false, isPart: false, place: place,
      links: links
    ).html.source

    for html in [
      explained, StoryView(handled).fates.source,
      SequelView(report: report, event: "the-id", place: place, links: links).html.source,
    ] {
      for order in [["told</span>", "held</span>", "not told</span>"], ["Ada", "Hugo", "Dan"]] {
        let places = order.compactMap { html.firstRange(of: $0)?.lowerBound }
        #expect(places.count == 3 && places == places.sorted(), "\(order): \(html)")
      }
    }
    let ids = ["Ada", "/a/source", "the-id"].compactMap { explained.firstRange(of: $0)?.lowerBound }
    #expect(ids.count == 3 && ids == ids.sorted(), "ids stand at the end: \(explained)")
  }
}
