import Documents
import FoundationEssentials
import Testing

@testable import Push

/// The outcome of a notification, in a sentence.
struct OutcomeWordsTests {
  private static let noon = Date(timeIntervalSince1970: 1_781_524_800)

  private static func report(_ verdict: Verdict, app: String = "feedbackkit") -> DecisionReport {
    DecisionReport(
      person: PersonSummary(id: RowID(uuid: UUID()), name: "Grace", email: nil), recipientReason: "submitter", app: app,
      kind: "new_vote", subject: "s", event: "e", function: "vote-cast", at: noon, verdict: verdict, gates: [])
  }

  private static func words(
    _ first: Verdict.Word, then later: Verdict.Word, others: Int?, reason: String? = "batched"
  ) -> String {
    var report = report(Verdict(decision: first, reason: first == .hold ? reason : nil, until: noon + 600))
    report.later = [.init(at: noon + 600, verdict: Verdict(decision: later, reason: nil), gates: [])]
    report.toldWith = others
    report.conclude()
    return report.words
  }

  @Test(
    arguments: [
      (nil, "with others"), (1, "with 1 other"), (2, "with 2 others"), (100, "with 100 others"),
      (101, "with more than 100 others"),
    ] as [(Int?, String)])
  func whatIsToldWithOthersSaysWithHowMany(_ others: Int?, _ words: String) {
    #expect(
      Self.words(.hold, then: .merge, others: others)
        == "waited until 12:10 for others like it; then told in one message \(words)")
  }

  @Test func theWayToOneMessageIsPlain() {
    #expect(Self.words(.notify, then: .merge, others: 2) == "told; later told in one message with 2 others")
    #expect(
      Self.words(.hold, then: .notify, others: 2)
        == "waited until 12:10 for others like it; then told in one message with 2 others"
    )
    #expect(Self.words(.hold, then: .notify, others: nil) == "waited until 12:10 for others like it; then told")
    #expect(
      Self.words(.hold, then: .summarize, others: 3, reason: "quiet_hours")
        == "waited until 12:10: quiet hours; then told in one message with 3 others, after quiet hours")
    var waiting = Self.report(Verdict(decision: .hold, reason: "batched", until: Self.noon + 600))
    waiting.conclude()
    #expect(waiting.words == "waits until 12:10 for others like it" && waiting.outcome == .held)
    waiting.verdict.until = Self.noon + 86_400
    waiting.conclude()
    #expect(waiting.words == "waits until 16 Jun, 12:00 for others like it")
  }

  @Test(arguments: [("feedbackkit", "project"), ("lockitin", "group"), ("unknown", "project or group")])
  func whatIsMutedHasTheWordOfItsApp(_ app: String, _ word: String) {
    var report = Self.report(Verdict(decision: .suppress, reason: "project_muted"), app: app)
    report.conclude()
    #expect(report.words == "not told: they muted the \(word) (project_muted)")
    #expect(DecisionCount(.suppress, because: "project_muted", in: app, 3).words == report.words)
    report.mutedPlace = "Orbit (b0000000)"
    report.conclude()
    #expect(report.words == "not told: they muted the \(word) “Orbit (b0000000)” (project_muted)")
    let hold = Verdict(decision: .hold, reason: "batched", until: Self.noon + 600)
    (report.later, report.verdict) = ([.init(at: Self.noon, verdict: report.verdict, gates: [])], hold)
    report.conclude()
    #expect(report.words.hasSuffix("; then not told: they muted the \(word) “Orbit (b0000000)” (project_muted)"))
    report.later[0].verdict.reason = "disabled"
    report.conclude()
    #expect(!report.words.contains("Orbit"))
  }
}
