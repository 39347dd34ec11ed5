import Console
import Documents
import Foundation
import Testing

@testable import Panels

/// Notifications that wait, in stories and on the clock's page.
struct WaitingViewTests {
  private let end = Date(timeIntervalSince1970: 1_790_000_000)

  private func person(_ name: String) -> PersonSummary {
    PersonSummary(id: RowID(uuid: UUID()), name: name, email: nil)
  }

  private func held(_ name: String, _ words: String) -> DecisionReport {
    var decision = DecisionReport(
      person: person(name), recipientReason: "submitter", app: "lockitin", kind: "new_vote", subject: "s", event: "e",
      function: "f", at: end - 600, verdict: Verdict(decision: .hold, reason: "quiet_hours", until: end), gates: [])
    (decision.outcome, decision.words) = (.held, words)
    return decision
  }

  @Test func aNameIsNoPartOfTheSentenceAboutAWait() {
    var handled = RecentDocument.Handled(
      event: "e", function: "f", source: "s", at: end - 600,
      counts: [DecisionCount(decision: .hold, reason: "quiet_hours", people: 2, words: "held")])
    // What a person's clock says of one instant differs by their zones.
    handled.people = [
      held("Up until noon: <Ada>", "waits until 16:13: quiet hours"), held("Ben", "waits until 23:13: quiet hours"),
    ]

    let html = StoryView(handled).fates.source

    #expect(html.contains("<bdi> Up until noon: &lt;Ada&gt;, Ben</bdi>: <bdi>waits until <time "), "\(html)")
    #expect(html.contains("</time>: quiet hours</bdi>") && html.matches(of: /<li>/).count == 1, "\(html)")
  }

  @Test func eachWaitOfASentenceEndsAtAnInstant() {
    var decision = held("Ada", "waited until 16:13: quiet hours; then waits until 17:13: they snoozed it")
    let later = "2026-09-21 15:13:20Z"
    decision.waitsUntil = end + 3_600
    let ofList = decision.restOnPage.source
    decision.later = [
      .init(at: end, verdict: Verdict(decision: .hold, reason: "snoozed", until: end + 3_600), gates: [])
    ]

    #expect(decision.restOnPage.source == ofList && ofList.contains(later), "\(ofList)")
    #expect(!ofList.contains("16:13") && !ofList.contains("17:13"))
    #expect(ofList.hasPrefix("<bdi>waited until <time ") && ofList.hasSuffix("</time>: they snoozed it</bdi>"))
    decision.verdict = Verdict(decision: .notify, reason: nil)
    decision.words = "told; later waits until 17:13: they snoozed it"
    #expect(decision.restOnPage.source.hasPrefix("<bdi>told; later waits until <time "))
    #expect(decision.restOnPage.source.contains(later))
  }

  @Test func theClocksPageStaysSmallHoweverMuchWaitsAndHoweverLongItIs() {
    let long = DecisionReport.Words(
      title: String(repeating: "題", count: 1_000), body: String(repeating: "文", count: 5_000))
    let waiting = (0..<100).map { number in
      var one = PeopleDocument.Waiting(
        person: person("Ada"), app: "feedbackkit", kind: "new_comment", reason: "quiet_hours", count: 2, until: end,
        words: "2 comments", subjectName: "Night mode")
      one.said = [DecisionReport.Words(title: "first <\(number)>", body: nil), long]
      return one
    }

    let html = WaitingView(waiting: waiting, place: NavigationEntry("people", "People", key: "p")).html.source

    #expect(html.matches(of: /<li>/).count == 100 && html.utf8.count < 60_000, "\(html.utf8.count)")
    #expect(html.contains("first &lt;9&gt;") && !html.contains("first &lt;10&gt;"))
    #expect(html.matches(of: /made of what these say/).count == WaitingView.mostDrawn)
  }

  @Test func whatWaitsIsShownAsThePushThatItBecomes() {
    func waiting(_ words: String, _ messages: [PeopleDocument.Message]?, count: Int = 2) -> PeopleDocument.Waiting {
      var one = PeopleDocument.Waiting(
        person: person("Grace"), app: "feedbackkit", kind: "new_vote", reason: "quiet_hours", count: count, until: end,
        words: words)
      (one.said, one.messages) = ([.init(title: "New Vote", body: "as it was written")], messages)
      return one
    }
    func html(_ all: PeopleDocument.Waiting...) -> String {
      WaitingView(waiting: all, place: NavigationEntry("people", "People", key: "p")).html.source
    }
    var push = PeopleDocument.Message(
      newest: RowID(uuid: UUID()), count: 3, said: .init(title: "New <Votes>", body: "3 people voted"))

    let shared = html(waiting("2 votes", [push]), waiting("comment", [push], count: 1))
    #expect(shared.matches(of: /New &lt;Votes&gt;/).count == 1 && !shared.contains("as it was written"), "\(shared)")
    #expect(
      shared.contains("2 votes, told in one message at") && shared.contains(", in one message with 1 more of these"))
    #expect(shared.contains("comment, told at") && shared.contains("<small>, in the message above</small>"))
    (push.replaces, push.countsReplaced) = (.init(title: "<b>", body: "now 2"), true)
    let counted = html(waiting("3 votes", [push], count: 3))
    let instead = ", instead of “&lt;b&gt;: now 2” on their phone</bdi>, which it counts, too</small>"
    #expect(counted.contains(instead) && !counted.contains("in one message with"), "\(counted)")
    push.countsReplaced = nil
    #expect(html(waiting("3 votes", [push], count: 3)).contains("on their phone</bdi>, which it leaves out</small>"))
    // It is known that nothing goes out, or nothing is known.
    let none = html(waiting("2 votes", []))
    #expect(none.contains("but as things stand no push goes out then") && !none.contains("as it was written"))
    #expect(html(waiting("2 votes", nil)).contains("as it was written"))
  }

  @Test func theEndOfAWaitIsSaidAsAllPagesSayInstants() {
    func words(_ text: String) -> String { sentence(text, waitingUntil: [end, end], longest: 20).source }

    let time = #"<time datetime="2026-09-21T14:13:20.000Z" title="2026-09-21 14:13:20Z" data-at="">"#
    #expect(words("Ada: waits until 16:13: <quiet> hours").hasPrefix("<bdi>Ada: waits until \(time)21 Sep"))
    #expect(words("Ada: waits until 16:13: <quiet> hours").hasSuffix("</time>: &lt;quiet&gt; hours</bdi>"))
    #expect(words("waited until 21 Sep, 16:13 for others").hasSuffix("</time> for others</bdi>"))
    for text in ["told", "waits until", "until 1:3", "until "] { #expect(words(text) == name(text).source) }
    #expect(sentence("until 16:13", waitingUntil: [], longest: 20) == name("until 16:13"))
  }
}
