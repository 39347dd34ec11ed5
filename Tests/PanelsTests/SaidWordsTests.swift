import Console
import Documents
import Foundation
import Testing

@testable import Panels

/// What pages say of a push's words, of what had waited, and of an icon that shows another number.
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
      place: Place("people", "People", key: "p"), links: links
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
    (9, 6, "2", 1, false, "2 wait for their time, 1 came without a push"),
    (9, 8, "1", 3, false, "1 waits for its time, 3 came without a push"),
    (9, 8, nil, 1, false, "1 came without a push"),
    (9, 8, nil, nil, false, "more came since its last push"),
    (2, 1, nil, 4, true, "requests count also where no push told of them"),
    (1, 3, "9", nil, false, "2 were read, done or taken back since its last push"),
    (2, 3, nil, nil, false, "1 was read, done or taken back since its last push"),
  ])
  func anIconThatDiffersSaysWhy(
    _ counted: Int, _ icon: Int, _ waiting: String?, _ unpushed: Int?, _ countsRequests: Bool, _ reason: String
  ) {
    let words = IconWords(
      counted: counted, icon: icon, waiting: waiting, unpushed: unpushed, countsRequests: countsRequests)

    #expect(words.reason == reason)
  }

  @Test func whatABadgeLeavesOutIsSaid() {
    var app = AppState(
      app: "x", badge: 9, timeZone: nil, isEnabled: true, switchedOff: [], mutes: [], quietHours: nil,
      hourlyLimit: nil, pushesOfLastHour: 0, devices: [], waiting: [], windows: [])
    #expect(app.badgeRule == nil && app.iconWords(showing: 6).hasSuffix(": more came since its last push"))
    app.mutes = [.init(id: RowID(uuid: UUID()), name: "Orbit", place: "project", level: .important)]
    #expect(app.badgeRule == nil, "what is important still comes")
    app.mutes[0].level = .muted
    #expect(app.badgeRule == "without what they have muted or switched off")
    app.waiting = Array(
      repeating: .init(kind: "k", reason: "batched", until: Self.instant), count: AppState.mostWaiting)
    #expect(app.iconWords(showing: 6).hasSuffix(": 20 or more wait for their time"))
    app.countsRequests = true
    #expect(app.badgeRule == "requests without an answer")
  }
}
