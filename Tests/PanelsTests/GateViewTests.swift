import Console
import Documents
import Foundation
import Testing

@testable import Panels

/// The words of pages for gates: those that held, and those that were asked again.
struct GateViewTests {
  @Test func aGateThatHoldsIsNotOneThatRefuses() {
    var (hugo, told) = (Sample.decision("Hugo", .held, stoppedAt: 3), Sample.decision("Eva", .told, stoppedAt: 3))
    hugo.verdict = Verdict(decision: .hold, reason: "batched", until: .distantFuture)
    told.verdict = hugo.verdict
    var dan = Sample.decision("Dan", .notTold, stoppedAt: 2)
    dan.verdict = Verdict(decision: .suppress, reason: "muted")

    let matrix = GateMatrix(people: [hugo, dan, told], total: 3, address: { _ in nil }).html.source
    let ladder = LadderView(decision: hugo, number: 1, links: PanelLinks([])).html.source

    #expect(matrix.matches(of: /1 held by “gate 3”/).count == 2, "\(matrix)")
    #expect(matrix.contains("1 stopped by “gate 2”") && matrix.matches(of: /✕/).count == 1, "\(matrix)")
    let mark = #"<td class="gate held" title="fact 3">‖<span class="unseen">held: fact 3</span></td>"#
    #expect(matrix.split(separator: mark).count == 3, "\(matrix)")
    #expect(ladder.contains(#"<li class="held" value="3">"#), "\(ladder)")
    #expect(ladder.matches(of: /<span class="badge notice">held<\/span>/).count == 2, "\(ladder)")
    #expect(!ladder.contains("stopped"), "\(ladder)")
  }

  @Test func whatWasAskedAgainHasItsGatesAndWhatThePhoneSaidThen() {
    var eva = Sample.decision("Eva", .told, stoppedAt: 3)
    eva.said = DecisionReport.Words(title: "New Votes", body: "2 <b>")
    let verdict = Verdict(decision: .hold, reason: "batched", until: .distantFuture)
    let gates = Sample.decision("Eva", .told, stoppedAt: nil).gates
    eva.verdict = verdict
    eva.later = [
      .init(at: .distantPast, verdict: Verdict(decision: .hold, reason: "snoozed"), gates: []),
      .init(at: .distantPast, verdict: Verdict(decision: .notify, reason: nil), gates: gates),
      .init(at: .distantPast, verdict: Verdict(decision: .merge, reason: nil), gates: []),
    ]
    func html() -> String { LadderView(decision: eva, number: 7, links: PanelLinks([])).html.source }

    let parts = html().split(separator: " asked again: ")
    #expect(parts.count == 4 && !parts[1].contains("New Votes") && !parts[1].contains("<details"))
    #expect(parts[2].hasPrefix("<bdi>told</bdi>") && parts[2].contains("<strong>New Votes</strong>"), "\(parts)")
    #expect(parts[2].contains("2 &lt;b&gt;") && parts[2].contains(#"<details id="again-7-2">"#), "\(parts)")
    #expect(parts[2].matches(of: /<li class="passed" value="\d">/).count == 3)
    #expect(!parts[3].contains("New Votes") && !parts[3].contains("<details"))
    // What has rung at once keeps the words of that push, whatever was told with it later.
    eva.verdict = Verdict(decision: .notify, reason: nil)
    #expect(!html().contains("New Votes"))
    (eva.verdict, eva.outcome) = (verdict, .held)
    #expect(!html().contains("New Votes"), "it is not said yet")
  }

  @Test func thatSomebodyIsNotToldIsCalm() {
    let outcomes = DecisionOutcome.allCases.map { "\($0.title): \($0.html.source)" }

    #expect(outcomes.contains(#"not told: <span class="badge calm">not told</span>"#), "\(outcomes)")
    #expect(!outcomes.contains { $0.contains("badge bad") }, "red is for what has failed")
    var dan = Sample.decision("Dan", .notTold, stoppedAt: 2)
    dan.later = [.init(at: .distantPast, verdict: Verdict(decision: .suppress, reason: "no_device"), gates: [])]
    let ladder = LadderView(decision: dan, number: 1, links: PanelLinks([])).html
    #expect(ladder.source.contains(" asked again: <bdi>not told, no device</bdi>"), "\(ladder.source)")
    #expect(ladder.source.contains(#"class="stopped""#) && !ladder.source.contains("badge bad"))
  }
}
