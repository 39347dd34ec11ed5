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
    let (links, place) = (PanelLinks([]), NavigationEntry("explain", "Explain", key: "x"))
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

  @Test func onePushIsOneRowAndEachPersonIsNamedOnce() {
    let push = RowID(uuid: UUID())
    func told(_ outcome: DecisionOutcome, _ words: String, by push: RowID, _ name: String = "Grace") -> DecisionReport {
      var decision = decision(name, outcome)
      (decision.notification, decision.words) = (RowID(uuid: UUID()), words)
      if outcome == .told { decision.notification = push } else { decision.mergedInto = push }
      decision.verdict = Verdict(decision: .hold, reason: "batched")
      return decision
    }
    func rows(_ people: [DecisionReport]) -> (story: String, sequel: Int) {
      let counts = [DecisionCount(decision: .notify, reason: nil, people: people.count, words: "told")]
      var handled = RecentDocument.Handled(event: "e", function: "f", source: "s", at: .distantPast, counts: counts)
      handled.people = people
      let handling = ExplainDocument.Handling(
        function: "f", source: "s", event: "e", at: .distantPast, counts: counts, reason: nil, isFinished: true,
        people: people)
      let sequel = SequelView(
        report: ExplainDocument(event: "e", dryRun: false, handlings: [handling]), event: "e",
        place: NavigationEntry("explain", "Explain", key: "x"), links: PanelLinks([]))
      return (StoryView(handled).fates.source, sequel.html.source.matches(of: /<strong><bdi>Grace</).count)
    }
    let merged = told(.merged, "told in one message with 1 other", by: push)
    var own = told(.told, "told", by: push)
    own.person = merged.person

    for people in [[merged, own], [own, merged]] {
      #expect(rows(people).sequel == 1 && rows(people).story.contains(#"good">told</span><bdi> Grace</bdi></li>"#))
    }
    // Another push is another row, or one row with the person named once where it says the same.
    var second = own
    second.notification = RowID(uuid: UUID())
    #expect(rows([own, second]).sequel == 2 && rows([own, second]).story.contains("<bdi> Grace</bdi></li>"))
    let namesake = told(.told, "told", by: push)
    #expect(rows([own, namesake]).story.contains("<bdi> Grace, Grace</bdi></li>"), "they are two people")
    #expect(rows([merged, told(.merged, merged.words, by: push, "Eva")]).story.contains("<bdi> Grace, Eva</bdi>"))
  }

  @Test func whatHasRungAtOnceWasToldWhateverTellsOfItLater() {
    var decision = decision("Grace", .merged)
    decision.words = "told; later told in one message with 2 others"

    #expect(decision.shownOutcome == .told && decision.rest == "later told in one message with 2 others")
    let ladder = LadderView(decision: decision, number: 1, links: PanelLinks([])).html.source
    #expect(ladder.contains(#"<span class="badge good">told</span></h3>"#), "\(ladder)")
    decision.verdict = Verdict(decision: .hold, reason: "batched")
    #expect(decision.shownOutcome == .merged)
  }
}
