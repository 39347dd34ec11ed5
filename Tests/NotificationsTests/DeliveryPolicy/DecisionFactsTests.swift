import FoundationEssentials
import Notifications
import Testing

/// The record of a decision, and the gates asked again from it.
struct DecisionFactsTests {
  private static let seed: UInt64 = 20_260_504

  /// Random people at random gates: each decision, and the gate behind it, is found again from the record.
  @Test func theGatesSayTheSameAgainFromWhatIsRecorded() throws {
    var random = Seeded(state: Self.seed)
    var seen: Set<String> = []
    for _ in 0..<20_000 {
      let kind = Kind.catalogue.randomElement(using: &random) ?? NewVote.kind
      let (candidate, expiry) = Self.candidate(for: kind, &random)
      let gates = Bool.random(using: &random) ? Gate.allCases : Gate.whenDue
      let decision = Gate.decision(on: candidate, of: kind, until: expiry, asking: gates, at: Sample.now)
      let facts = DecisionFacts(candidate, of: kind, until: expiry, decided: decision, at: Sample.now)

      let read = try DecisionFacts(json: facts.json)
      let again = read.candidate(candidate.user, about: candidate.subjectID, as: candidate.reason, for: kind)
      let answers = Gate.answers(
        on: again, of: kind, until: read.expiry(at: Sample.now), asking: gates, at: Sample.now)

      #expect(read == facts, "seed \(Self.seed)")
      #expect(Self.name(Self.decision(answers)) == Self.name(decision), "seed \(Self.seed): \(facts.json ?? "–")")
      #expect(answers.map(\.gate) == gates)
      seen.insert(Self.name(decision).prefix { $0 != "@" }.description)
    }

    // A duplicate is a matter of the history, see the test below. Only the person snoozes. No gate decides that a push
    // is too large.
    let others: Set<Suppression> = [.duplicate, .expired, .unencodable]
    let possible = Suppression.allCases.filter { !others.contains($0) }.map { "suppress \($0)" }
    let holds = Hold.Reason.allCases.filter { $0 != .snoozed }
    #expect(seen == Set(possible + holds.map { "hold \($0)" } + ["notify"]))
  }

  @Test func aDuplicateIsOneAgain() throws {
    var candidate = Sample.candidate(.addressee, for: Sample.request.subject)
    candidate.hourlyLimit = App.lockItIn.profile.hourlyLimit
    let text = Sample.request.text(for: candidate.recipient).inInbox
    candidate.history = [Candidate.EarlierNotification(subjectID: candidate.subjectID, text: text, time: Sample.now)]
    let decision = Gate.decision(on: candidate, for: Sample.request, at: Sample.now)
    let expiry = Sample.request.pushExpiry(from: Sample.now)
    let facts = DecisionFacts(
      candidate, of: Sample.request.kind, until: expiry, decided: decision, at: Sample.now)

    let again = facts.candidate(Sample.user, about: "", as: .addressee, for: Sample.request.kind)
    let answers = Gate.answers(
      on: again, of: Sample.request.kind, until: expiry, asking: Gate.allCases, at: Sample.now)

    #expect(decision == .suppress(.duplicate) && Self.decision(answers) == decision)
    #expect(facts.json == #"{"notified":true}"#)
  }

  @Test func ofMostPeopleNothingIsRecorded() {
    for kind in Kind.catalogue {
      var candidate = Sample.candidate()
      (candidate.personal, candidate.hourlyLimit) = (kind.isOnByDefault ? true : nil, kind.app.profile.hourlyLimit)
      let facts = DecisionFacts(
        candidate, of: kind, until: Sample.now + 86_400, decided: .notify, at: Sample.now)

      #expect(facts.json == nil)
    }
  }

  @Test func aZoneWithOddCharactersIsStillJSON() throws {
    var candidate = Sample.candidate()
    candidate.quietHours = QuietHours(timeZone: "a\"b\\c\n")
    let facts = DecisionFacts(
      candidate, of: NewVote.kind, until: Sample.now + 86_400, decided: .notify, at: Sample.now)

    let read = try DecisionFacts(json: facts.json)

    #expect(read.candidate(Sample.user, about: "", as: .voter, for: NewVote.kind).timeZone == "a\"b\\c?")
  }

  @Test func whatStandsBehindTheOneThatStoppedWasNotAsked() {
    var candidate = Sample.candidate()
    candidate.level = .muted

    let answers = Gate.answers(
      on: candidate, of: NewVote.kind, until: Sample.now + 86_400, asking: Gate.allCases, at: Sample.now
    ).map(\.answer)

    #expect(answers.prefix(3) == [.passed, .passed, .stopped(.suppress(.projectMuted))])
    #expect(answers.dropFirst(3).allSatisfy { $0 == .notAsked } && answers.count == Gate.allCases.count)
  }

  private static func decision(_ answers: [(gate: Gate, answer: Gate.Answer)]) -> Decision {
    for case (_, .stopped(let decision)) in answers { return decision }
    return .notify
  }

  /// Instants to the millisecond: a date's own text has less room.
  private static func name(_ decision: Decision) -> String {
    switch decision {
    case .notify: "notify"
    case .suppress(let suppression): "suppress \(suppression)"
    case .hold(let hold): "hold \(hold.reason)@\(Int((hold.until.timeIntervalSince1970 * 1_000).rounded()))"
    }
  }

  private static func candidate(for kind: Kind, _ random: inout Seeded) -> (Candidate, expiry: Date) {
    func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    func soon(_ range: ClosedRange<Int>) -> Date { Sample.now + Double(Int.random(in: range, using: &random)) / 1_000 }
    var candidate = Sample.candidate(RecipientReason.allCases.randomElement(using: &random) ?? .member)
    candidate.isActor = oneIn(20)
    candidate.isEnabled = !oneIn(20)
    candidate.level = oneIn(6) ? .muted : oneIn(6) ? .important : .all
    candidate.override = oneIn(4) ? Bool.random(using: &random) : nil
    candidate.personal = oneIn(3) ? nil : Bool.random(using: &random)
    candidate.eligibility = oneIn(8) ? [.handled, .gone, .notPermitted].randomElement(using: &random) ?? .gone : .open
    candidate.isViewing = oneIn(20)
    candidate.devices = Array(repeating: Sample.user, count: Int.random(in: 0...3, using: &random))
    if oneIn(4) { candidate.openWindow = .init(opener: Sample.user, end: soon(1...600_000)) }
    if oneIn(2) {
      candidate.quietHours = QuietHours(
        startMinute: Int.random(in: 0..<1_440, using: &random), timeZone: "Europe/Berlin")
      if oneIn(2) { candidate.quietUntil = soon(1...36_000_000) }
    }
    if oneIn(4) {
      candidate.mutedUntil = soon(1...36_000_000)
      candidate.quietUntil = candidate.mutedUntil
    }
    candidate.hourlyLimit = oneIn(2) ? Int.random(in: 0...3, using: &random) : kind.app.profile.hourlyLimit
    candidate.recentPushes = (0..<Int.random(in: 0...6, using: &random)).map { _ in soon(-7_000_000...0) }
    if oneIn(4) { candidate.heldSince = soon(-21_600_000...0) }
    return (candidate, oneIn(2) ? soon(1...90_000_000) : Sample.now + 86_400)
  }
}
