import Console
import Documents
import Foundation
import Testing

@testable import Panels

/// The words of pages for a push, for what had waited, and for an icon that shows another number.
struct SaidWordsTests {
  private static let instant = Date(timeIntervalSince1970: 1_790_000_000)
  private static let links = PanelLinks([])

  private static func person(_ name: String) -> PersonSummary {
    PersonSummary(id: RowID(uuid: UUID()), name: name, email: nil)
  }

  private static func decision(_ outcome: DecisionOutcome, _ words: String) -> DecisionReport {
    var decision = DecisionReport(
      person: person("Grace"), recipientReason: "submitter", app: "x", kind: "new_vote", subject: "s", event: "e",
      function: "f", at: instant, verdict: Verdict(decision: .notify, reason: nil), gates: [])
    (decision.outcome, decision.words) = (outcome, words)
    return decision
  }

  private static func page(of decision: DecisionReport) -> String {
    let page = PersonDocument(
      person: decision.person, now: instant, since: instant, apps: [], decisions: [decision], total: 1)
    return PersonView(
      page: page, choice: PersonView.Choice(PageRequest(path: ["people", "x"])),
      place: NavigationEntry("people", "People", key: "p"), links: links
    ).html.body.source
  }

  @Test func eachRowOfAPersonSaysWhatWasSaidOrWhyNot() {
    var (told, held) = (Self.decision(.told, "told"), Self.decision(.held, "held: waits"))
    (told.said, held.said) = (.init(title: "New <Vote>", body: "It has 2"), .init(title: "New Vote", body: nil))
    var (muted, other) = (Self.decision(.notTold, "not told: they muted it (muted)"), Self.decision(.told, "told"))
    (muted.verdict.reason, muted.said, other.said) = ("muted", .init(title: "Secret", body: nil), nil)

    let toldPage = Self.page(of: told)
    #expect(toldPage.contains("<strong>New &lt;Vote&gt;</strong></p><p dir=\"auto\">It has 2</p>"), "\(toldPage)")
    #expect(Self.page(of: held).contains("<strong>New Vote</strong></p><bdi>waits</bdi>"), "\(Self.page(of: held))")
    let mutedPage = Self.page(of: muted)
    #expect(mutedPage.contains("<bdi>they muted it</bdi>") && !mutedPage.contains("Secret"), "\(mutedPage)")
    #expect(Self.page(of: other).contains("No words are kept of it."))
  }

  @Test func allThatHadWaitedIsNamedWithItsPersonAndLed() {
    let (grace, dan) = (Self.decision(.told, "told"), Self.decision(.told, "told"))
    var handled = RecentDocument.Handled(event: "e", function: "f", source: "s", at: Self.instant, counts: [])
    func part(_ event: String, _ decision: DecisionReport) -> RecentDocument.Part {
      .init(person: decision.person.id, event: event, function: "vote-cast", kind: "new_vote", at: Self.instant)
    }
    func html() -> String { GatheredView(handled: handled, links: Self.links).html.source }

    #expect(html().isEmpty, "an event has no such parts")
    (handled.people, handled.parts) = ([grace], [part("one", grace), part("two", grace)])
    #expect(html().matches(of: /new vote<\/bdi>, <time/).count == 2 && html().contains(" · "))
    #expect(!html().contains("for Grace"), "the story says already who was told")
    (handled.people, handled.parts, handled.otherParts) = ([grace, dan], [part("one", grace), part("two", dan)], 3)
    #expect(html().matches(of: /<bdi>for Grace: <\/bdi>/).count == 2, "two people of one name")
    #expect(html().hasSuffix(" and 3 more</small></p>"), "\(html())")
  }

  @Test(arguments: [
    (9, 6, 2, 1, false, "6 on the icon + 2 that wait for their time + 1 without a push"),
    (
      9, 5, 1, 1, false,
      "5 on the icon + 1 that waits for its time + 1 without a push + 2 that came since its last push"
    ),
    (9, 8, 1, 3, false, "8 on the icon + 1 that came since its last push"),
    (9, 8, nil, 1, false, "8 on the icon + 1 without a push"),
    (3, 0, nil, nil, false, "0 on the icon + 3 that came since its last push"),
    (2, 1, nil, 4, true, "1 on the icon + 1 that counts without a push, as requests do"),
    (5, 1, nil, 4, true, "1 on the icon + 4 that count without a push, as requests do"),
    (1, 3, 9, nil, false, "3 on the icon − 2 that were read, done or taken back since its last push"),
    (2, 3, nil, nil, false, "3 on the icon − 1 that was read, done or taken back since its last push"),
  ])
  func anIconThatDiffersSaysWhyInNumbersThatAddUp(
    _ counted: Int, _ icon: Int, _ waiting: Int?, _ unpushed: Int?, _ countsRequests: Bool, _ sum: String
  ) {
    var words = IconWords(
      counted: counted, icon: icon, waiting: waiting, unpushed: unpushed, countsRequests: countsRequests)

    #expect(words.sum == sum)
    let numbers = words.sum.matches(of: #/([−+] )?(\d+) /#).compactMap { match in
      Int(match.2).map { match.1 == "− " ? -$0 : $0 }
    }
    #expect(numbers.reduce(0, +) == counted)
    words.isMore = true
    #expect(!words.sum.contains("wait"), "nobody knows how many")
  }

  @Test func whatABadgeLeavesOutIsSaid() {
    var app = AppState(
      app: "x", badge: 9, timeZone: nil, isEnabled: true, switchedOff: [], mutes: [], quietHours: nil,
      hourlyLimit: nil, pushesOfLastHour: 0, devices: [], waiting: [], windows: [])
    #expect(
      app.badgeRule == nil
        && app.iconWords(showing: 6).hasSuffix(": 9 = 6 on the icon + 3 that came since its last push"))
    app.mutes = [.init(id: RowID(uuid: UUID()), name: "Orbit", place: "project", level: .important)]
    #expect(app.badgeRule == nil, "what is important still comes")
    app.mutes[0].level = .muted
    #expect(app.badgeRule == "without what they have muted or switched off")
    app.waiting = Array(
      repeating: .init(kind: "k", reason: "batched", until: Self.instant), count: AppState.mostWaiting)
    #expect(app.iconWords(showing: 6).hasSuffix(" + 3 that came since its last push"), "20 or more wait")
    app.countsRequests = true
    #expect(app.badgeRule == "requests without an answer")
  }
}
