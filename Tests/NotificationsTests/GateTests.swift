import FoundationEssentials
import Notifications
import PushPayload
import Testing

struct GateTests {
  private func decision(_ change: (inout Candidate) -> Void) -> Decision {
    var candidate = Sample.candidate()
    change(&candidate)
    return Gate.decision(on: candidate, for: NewFeedback(Sample.feedback), at: Sample.now)
  }

  @Test func tellsSomebodyWhomNothingStops() {
    #expect(decision { _ in } == .notify)
  }

  /// The truth table of "Preference Resolution Logic", row by row.
  @Test(
    arguments: [
      (false, true, nil, Decision.suppress(.disabled)),
      (false, false, nil, .suppress(.disabled)),
      (false, true, true, .suppress(.disabled)),
      (false, false, true, .suppress(.disabled)),
      (false, true, false, .suppress(.disabled)),
      (true, false, nil, .suppress(.typeDisabled)),
      (true, true, nil, .notify),
      (true, true, false, .suppress(.typeDisabled)),
      (true, false, true, .notify),
      (true, nil, nil, .notify),
    ] as [(Bool, Bool?, Bool?, Decision)])
  func resolvesPreferences(isEnabled: Bool, personal: Bool?, override: Bool?, expected: Decision) {
    let decision = decision {
      ($0.isEnabled, $0.personal, $0.override) = (isEnabled, personal, override)
    }

    #expect(decision == expected)
  }

  @Test(arguments: [
    (Candidate.Level.all, Decision.notify, Decision.notify),
    (.important, .suppress(.projectMuted), .notify),
    (.muted, .suppress(.projectMuted), .suppress(.projectMuted)),
  ])
  func aLevelLetsThroughByImportance(level: Candidate.Level, normal: Decision, actionRequired: Decision) {
    var candidate = Sample.candidate()
    candidate.level = level

    #expect(Gate.decision(on: candidate, for: NewFeedback(Sample.feedback), at: Sample.now) == normal)
    #expect(Gate.decision(on: candidate, for: Sample.reminder(), at: Sample.now) == actionRequired)
  }

  @Test func aMuteStopsWhatAnOverrideAllows() {
    #expect(decision { ($0.level, $0.override) = (.muted, true) } == .suppress(.projectMuted))
  }

  @Test(arguments: [
    (Candidate.Eligibility.handled, Suppression.alreadyHandled), (.gone, .subjectGone), (.notPermitted, .notPermitted),
  ])
  func ineligibilityStops(eligibility: Candidate.Eligibility, reason: Suppression) {
    #expect(decision { $0.eligibility = eligibility } == .suppress(reason))
  }

  @Test func withoutADeviceNothingIsSent() {
    #expect(decision { $0.devices = [] } == .suppress(.noDevice))
  }

  /// Each gate alone stops with its reason, and every gate before it wins over it.
  @Test func theFirstGateNamesTheReason() {
    let stops: [(Suppression, (inout Candidate) -> Void)] = [
      (.actor, { $0.isActor = true }), (.disabled, { $0.isEnabled = false }), (.projectMuted, { $0.level = .muted }),
      (.typeDisabled, { $0.override = false }), (.alreadyHandled, { $0.eligibility = .handled }),
      (.duplicate, { $0.history = [.said(Sample.statusChange, ago: 0)] }),
      (.viewing, { $0.isViewing = true }),
      (.noDevice, { $0.devices = [] }),
    ]
    for index in stops.indices {
      var candidate = Sample.candidate()
      for (_, stop) in stops[index...] { stop(&candidate) }

      let decision = Gate.decision(on: candidate, for: Sample.statusChange, at: Sample.now)

      #expect(decision == .suppress(stops[index].0))
    }
  }
}

struct RepetitionTests {
  private func decision<N: Notice>(on notice: N, after history: [Candidate.EarlierNotification]) -> Decision {
    var candidate = Sample.candidate(.addressee, for: notice.subject)
    candidate.history = history
    return Gate.decision(on: candidate, for: notice, at: Sample.now)
  }

  @Test(arguments: [(0.0, Decision.suppress(.duplicate)), (599, .suppress(.duplicate)), (600, .notify)])
  func theSameWordsAreNotRepeatedForTenMinutes(seconds: TimeInterval, expected: Decision) {
    #expect(decision(on: Sample.request, after: [.said(Sample.request, ago: seconds)]) == expected)
  }

  @Test func otherWordsAreNoRepetition() {
    let other = FriendRequest(Sample.user, from: Sample.user, named: "Iris")

    #expect(decision(on: Sample.request, after: [.said(other, ago: 1)]) == .notify)
  }

  @Test(arguments: ["de", "ar", "en"])
  func theSameWordsInAnotherLanguageAreARepetition(language: String) {
    #expect(decision(on: Sample.request, after: [.said(Sample.request, in: language, ago: 1)]) == .suppress(.duplicate))
  }

  /// Arguments: the other event, and it and its title as they are told of later.
  @Test(
    arguments: [
      (Sample.user, Sample.user, "Dentist", Decision.suppress(.duplicate)),
      (Sample.user, Sample.user, "Doctor", .suppress(.duplicate)),
      (Sample.user, Sample.feedback.id, "Dentist", .notify), (nil, nil, "Dentist", .suppress(.duplicate)),
      (nil, nil, "Doctor", .notify), (nil, Sample.user, "Dentist", .notify),
    ] as [(UUID?, UUID?, String, Decision)], ["en", "de"])
  func aConflictIsKnownWhateverItsWords(
    told: (UUID?, UUID?, String, Decision), language: String
  ) {
    let alert = { (other: UUID?, title: String) in
      ConflictAlert(
        Conflict(
          proposal: Sample.user, title: "Game Night", organizer: "Ada", visibility: .sharedWithName, start: nil,
          person: Sample.user, name: "Ben", existing: other, existingTitle: title, level: "full"))
    }
    let earlier = alert(told.0, "Dentist")
    let history = [
      Candidate.EarlierNotification(
        subjectID: earlier.subject.id,
        text: earlier.text(for: Recipient(.addressee, language: Language(nearestTo: language))).inInbox,
        time: Sample.now - 86_400, state: told.0?.uuidString.lowercased())
    ]

    #expect(decision(on: alert(told.1, told.2), after: history) == told.3)
  }

  @Test func whatTheAppHasToldInItsOwnWordsIsNoNews() {
    let words = NotificationText(said: "Somebody wants to be your friend", "")
    func twin(of subject: String) -> Candidate.EarlierNotification {
      Candidate.EarlierNotification(subjectID: subject, text: words, time: Sample.now - 3_600, isTwin: true)
    }
    let other = FriendRequest(Sample.user, from: Sample.user, named: "Iris")

    #expect(decision(on: Sample.request, after: [twin(of: Sample.request.subject.id)]) == .suppress(.duplicate))
    #expect(
      decision(on: Sample.request, after: [twin(of: Sample.request.subject.id), .said(other, ago: 1)])
        == .suppress(.duplicate))
    #expect(decision(on: Sample.request, after: [twin(of: "other")]) == .notify)
    // Each reminder is told, and what merges is counted.
    let comment = NewComment(Sample.user, on: Sample.feedback)
    #expect(decision(on: Sample.reminder(), after: [twin(of: Sample.reminder().subject.id)]) == .notify)
    #expect(decision(on: comment, after: [twin(of: comment.subject.id)]) == .notify)
  }

  @Test func onlyWhatWasToldLastIsRepeated() {
    let other = FriendRequest(Sample.user, from: Sample.user, named: "Iris")

    #expect(decision(on: Sample.request, after: [.said(Sample.request, ago: 2), .said(other, ago: 1)]) == .notify)
  }

  @Test func theSameWordsAboutAnotherSubjectAreNoRepetition() {
    let text = Sample.request.text(for: Recipient(.addressee))
    let history = [Candidate.EarlierNotification(subjectID: "other", text: text, time: Sample.now)]

    #expect(decision(on: Sample.request, after: history) == .notify)
  }

  @Test func ofHowThingsStandOnlyAnotherStateIsSaid() {
    let other = StatusChange(
      of: Sample.feedback, from: FeedbackStatus(rawValue: "in_progress"), to: FeedbackStatus(rawValue: "completed"))

    #expect(
      decision(on: Sample.statusChange, after: [.said(Sample.statusChange, to: .voter, ago: 1)])
        == .suppress(.duplicate))
    #expect(
      decision(on: Sample.statusChange, after: [.said(Sample.statusChange, ago: 2), .said(other, ago: 1)]) == .notify)
    #expect(decision(on: Sample.statusChange, after: [.said(Sample.statusChange, ago: 600)]) == .notify)
  }

  @Test(arguments: [1.0, 86_400])
  func theLeadThatWasToldLastIsNotSaidAgain(seconds: TimeInterval) {
    let option = { OptionTally(option: $0, startsAt: Sample.now, yes: 1, maybe: 0, lastVote: Sample.now) }
    let lead = LeadingOptionChange(to: option(Sample.user), of: 3, in: Sample.proposal())
    let other = LeadingOptionChange(to: option(Sample.feedback.id), of: 3, in: Sample.proposal())

    #expect(decision(on: lead, after: [.said(lead, ago: seconds)]) == .suppress(.duplicate))
    #expect(decision(on: lead, after: [.said(other, ago: seconds)]) == .notify)
  }

  /// - Parameter language: in which the phone shows it.
  @Test(arguments: ["en", "de", "ar"]) func whatThePhoneShowsIsNotSaidAgain(language: String) {
    let reader = Recipient(.submitter, language: Language(nearestTo: language))
    let vote = NewVote(for: Sample.feedback, count: 1, by: "v")
    let decision = { (actor: String) in
      var candidate = Sample.candidate(.submitter, for: vote.subject)
      candidate.shown = .init(
        Sample.user, as: "c", saying: vote.text(for: reader).inInbox, of: [Act(actor, named: nil)])
      return Gate.decision(on: candidate, for: vote, at: Sample.now)
    }

    #expect(decision("v") == .suppress(.duplicate))
    #expect(decision("w") == .notify)
  }

  /// One of three voters took the vote back, and somebody else votes.
  @Test(arguments: Texts.languages) func asManyVotersAsThePhoneShowsAreNotSaidAgain(language: String) {
    let vote = NewVote(for: Sample.feedback, count: 3, by: "new")
    let acts = ["a", "b", "gone"].map { Act($0, named: nil) }
    let shown = Merged(
      acts, in: .votes, newest: vote.text(for: Recipient(.submitter)), subjectName: vote.part?.subjectName,
      words: .of(Language(nearestTo: language)))
    let decision = { (acts: [Act], hasLostActs: Bool) in
      var candidate = Sample.candidate(.submitter, for: vote.subject)
      candidate.shown = .init(
        Sample.user, as: "c", saying: shown.text.inInbox, of: acts, hasLostActs: hasLostActs)
      return Gate.decision(on: candidate, for: vote, at: Sample.now)
    }

    #expect(decision(Array(acts.dropLast()), true) == .suppress(.duplicate))
    #expect(decision(acts, false) == .notify)
    #expect(decision(acts, true) == .notify)
  }

  @Test func kindsThatMergeMayRepeatThemselves() {
    let comment = NewComment(Sample.user, on: Sample.feedback)

    #expect(decision(on: comment, after: [.said(comment, to: .submitter, ago: 1)]) == .notify)
  }

  @Test func aDedupeKeyHoldsForever() {
    let reminder = Sample.reminder()
    let history = [
      Candidate.EarlierNotification(
        subjectID: nil, text: NotificationText(title: "", body: ""), time: .distantPast, dedupeKey: reminder.dedupeKey)
    ]

    #expect(decision(on: reminder, after: history) == .suppress(.duplicate))
  }

  @Test func onlyADedupeKeyStandsForAnEntry() {
    var candidate = Sample.candidate()
    candidate.history = [.said(Sample.statusChange, ago: 0), .said(Sample.reminder(), ago: 86_400)]

    #expect(candidate.hasEntry(of: Sample.reminder()))
    #expect(!candidate.hasEntry(of: Sample.reminder(closesIn: 60)))
    #expect(!candidate.hasEntry(of: Sample.statusChange))
  }

  @Test func aMovedDeadlineRemindsAgain() {
    let moved = Sample.reminder(closesIn: 3_600)

    #expect(decision(on: moved, after: [.said(Sample.reminder(), ago: 60)]) == .notify)
  }

  @Test func longTextsAreComparedAsTheInboxKeepsThem() {
    let request = FriendRequest(Sample.user, from: Sample.user, named: String(repeating: "x", count: 10_000))

    #expect(decision(on: request, after: [.said(request, ago: 1)]) == .suppress(.duplicate))
  }
}

extension Candidate.EarlierNotification {
  fileprivate static func said<N: Notice>(
    _ notice: N, to reason: RecipientReason = .member, in language: String = "en", ago seconds: TimeInterval
  ) -> Self {
    let recipient = Recipient(reason, language: Language(nearestTo: language))
    return Candidate.EarlierNotification(
      subjectID: notice.subject.id, text: notice.text(for: recipient).inInbox,
      time: Sample.now.addingTimeInterval(-seconds), dedupeKey: notice.dedupeKey,
      state: notice.state(for: Recipient(reason)))
  }
}
