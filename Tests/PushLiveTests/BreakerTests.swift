import FoundationEssentials
import Notifications
import Testing

@testable import PushLive

struct BreakerTests {
  let start = ContinuousClock.now

  @Test func opensForFiveMinutesAndThenLetsOneTry() {
    var breaker = Breaker()
    #expect(breaker.admission(at: start) == .free)

    let isNews = breaker.open(at: start)
    #expect(isNews)
    #expect(breaker.admission(at: start) == .held(RetryTiming.configuration))
    #expect(breaker.admission(at: start + .seconds(299)) == .held(.seconds(1)))
    let end = start + RetryTiming.configuration
    #expect(breaker.admission(at: end) == .probe)
    breaker.beginProbe()
    #expect(breaker.admission(at: end) == .afterProbe)
  }

  @Test func isNewsOnlyWhenItOpensAndWhenItCloses() {
    var breaker = Breaker()
    let end = start + RetryTiming.configuration

    let opened = [breaker.open(at: start), breaker.open(at: start + .seconds(1))]
    #expect(opened == [true, false])
    #expect(breaker.admission(at: end) == .probe, "what was on its way does not prolong it")
    breaker.beginProbe()
    let reopened = breaker.open(at: end)
    #expect(!reopened)
    #expect(breaker.admission(at: end) == .held(RetryTiming.configuration))
    breaker.beginProbe()
    let closed = [breaker.close(), breaker.close()]
    #expect(closed == [true, false])
    #expect(breaker.admission(at: end) == .free)
  }

  @Test func aTryThatShowedNothingIsFollowedByAnother() {
    var breaker = Breaker()
    _ = breaker.open(at: start)
    breaker.beginProbe()

    breaker.endProbe()

    #expect(breaker.admission(at: start) == .probe)
  }

  @Test(arguments: [
    (Breaker.Admission.free, Breaker.Admission.free, Breaker.Admission.free), (.free, .probe, .probe),
    (.probe, .afterProbe, .afterProbe), (.afterProbe, .held(.seconds(1)), .held(.seconds(1))),
    (.held(.seconds(1)), .held(.seconds(2)), .held(.seconds(2))),
  ])
  func theStricterOfTwoHolds(one: Breaker.Admission, two: Breaker.Admission, both: Breaker.Admission) {
    #expect(one.and(two) == both && two.and(one) == both)
  }
}

struct SuspicionTests {
  let start = ContinuousClock.now

  @Test func twentyBadTokensOfAHundredAnswersAreAJump() {
    var suspicion = Suspicion(at: start)
    for _ in 0..<78 { _ = suspicion.note(isRefusal: false, of: UUID(), at: start) }

    let jumps = (0..<21).map { _ in suspicion.note(isRefusal: true, of: UUID(), at: start) }

    #expect(jumps.firstIndex(of: true) == 19, "20 of 98 are more than a fifth")
  }

  @Test func fewAreNoJumpHoweverLargeTheirShare() {
    var suspicion = Suspicion(at: start)

    let jumps = (0..<19).map { _ in suspicion.note(isRefusal: true, of: UUID(), at: start) }

    #expect(!jumps.contains(true))
  }

  @Test func aSmallShareIsNoJumpHoweverManyTheyAre() {
    var suspicion = Suspicion(at: start)

    let jumps = (0..<10_000).map { suspicion.note(isRefusal: $0 % 6 == 5, of: UUID(), at: start) }

    #expect(!jumps.contains(true))
  }

  @Test func aShareThatWasLargeBeforeIsNoJump() {
    var suspicion = Suspicion(at: start)
    for number in 0..<100 { _ = suspicion.note(isRefusal: number % 7 == 6, of: UUID(), at: start) }

    let next = start + Suspicion.window

    let jumps = (0..<100).map { suspicion.note(isRefusal: $0 % 3 == 0, of: UUID(), at: next) }

    #expect(!jumps.contains(true))
  }

  @Test func manyTokensOfOnePersonAreOneAnswer() {
    var suspicion = Suspicion(at: start)
    let people = (0..<19).map { _ in UUID() }

    let jumps = (0..<1_000).map { suspicion.note(isRefusal: true, of: people[$0 % 19], at: start) }

    let another = suspicion.note(isRefusal: true, of: UUID(), at: start)
    #expect(!jumps.contains(true) && another)
  }

  @Test func whatWasCountedLongAgoIsForgotten() {
    var suspicion = Suspicion(at: start)
    for _ in 0..<19 { _ = suspicion.note(isRefusal: true, of: UUID(), at: start) }

    let later = start + Suspicion.window * 2

    let jumps = (0..<20).map { _ in suspicion.note(isRefusal: true, of: UUID(), at: later) }

    #expect(jumps.firstIndex(of: true) == 19)
  }
}

struct BreakersTests {
  let start = ContinuousClock.now
  let subject = Breakers.Subject(
    credential: ProviderTokenID(teamID: "TEAM000001", keyID: "KEY0000001", environment: .sandbox),
    app: APNsApp(environment: .sandbox, topic: "com.example.a"),
    gate: APNsApp(environment: .sandbox, topic: "com.example.a"),
    home: APNsApp(environment: .sandbox, topic: "com.example.a"),
    topic: Breakers.AppTopic(app: "a", topic: "com.example.a"), isTopicConfigured: true)

  @Test func holdsAnAppAndNoOther() {
    var breakers = Breakers()

    let news = [note(.holdApp, &breakers), note(.holdApp, &breakers)]

    #expect(news == [[.appHeld(subject.app)], []])
    #expect(breakers.admission(subject, at: start) == .held(RetryTiming.configuration))
    #expect(breakers.admission(other { $0.gate.topic = "com.example.b" }, at: start) == .free)
  }

  @Test func anAppWithoutLiveActivitiesKeepsItsAlerts() {
    var breakers = Breakers()
    let activity = other { $0.gate = $0.gate.with("liveactivity") }

    let news = breakers.note(.holdApp, activity, of: UUID(), isCharge: false, isProbe: false, at: start)

    #expect(news == [.appHeld(APNsApp(environment: .sandbox, topic: "com.example.a.push-type.liveactivity"))])
    #expect(breakers.admission(activity, at: start) == .held(RetryTiming.configuration))
    #expect(breakers.admission(subject, at: start) == .free)
  }

  @Test func holdsEverythingOfAKeyAndNothingOfAnother() {
    var breakers = Breakers()

    let held = note(.holdCredential, &breakers)

    #expect(held == [.credentialHeld(subject.credential)])
    let elsewhere = other { $0.gate.topic = "com.example.b" }
    #expect(breakers.admission(elsewhere, at: start) == .held(RetryTiming.configuration))
    #expect(breakers.admission(other { $0.credential.environment = .production }, at: start) == .free)
    let lifted = breakers.lift(subject.credential, at: start)
    #expect(lifted == [.credentialFree(subject.credential)])
    #expect(breakers.admission(subject, at: start) == .free && breakers.isQuiet)
  }

  @Test func holdsEveryKeyOfATeamForTwentyMinutesAndNoOtherTeam() {
    var breakers = Breakers()

    let news = [note(.holdTeam, &breakers), note(.holdTeam, &breakers)]

    #expect(news == [[.teamHeld("TEAM000001")], []])
    let sibling = other { $0.credential = ProviderTokenID(teamID: "TEAM000001", keyID: "K2", environment: .production) }
    #expect(breakers.admission(sibling, at: start + .seconds(60)) == .held(RetryTiming.team - .seconds(60)))
    #expect(breakers.admission(sibling, at: start + RetryTiming.team) == .free)
    #expect(breakers.admission(other { $0.credential.teamID = "TEAM000002" }, at: start) == .free)
  }

  @Test(arguments: [
    (PushVerdict.accepted, true), (.deviceGone(at: nil), true), (.rejected, true), (.retryLater(atLeast: nil), true),
    (.unknown, false), (.notSent(pause: nil), false), (.holdTeam, false),
  ])
  func aTryFreesTheAppWhenAPNsFoundNoFaultWithIt(verdict: PushVerdict, isFree: Bool) {
    var breakers = Breakers()
    _ = note(.holdApp, &breakers)
    let end = start + RetryTiming.configuration
    breakers.beginProbe(subject, at: end)

    let news = note(verdict, &breakers, isProbe: true, at: end)

    #expect(news.contains(.appFree(subject.app)) == isFree)
    #expect((breakers.admission(subject, at: end + RetryTiming.team) == .free) == isFree)
  }

  @Test func aJumpOfBadTokensHoldsTheAppUntilAPushIsAccepted() {
    var breakers = Breakers()
    let news = (0..<20).flatMap { _ in note(.deviceSuspect, &breakers, isCharge: true) }
    let end = start + RetryTiming.configuration

    #expect(news == [.devicesHeld(subject.home)])
    #expect(breakers.suspicion(subject.home, at: start) == RetryTiming.configuration)
    breakers.beginProbe(subject, at: end)
    let again = note(.deviceSuspect, &breakers, isCharge: true, isProbe: true, at: end)
    #expect(again.isEmpty)
    #expect(breakers.admission(subject, at: end) == .held(RetryTiming.configuration))
    let later = end + RetryTiming.configuration
    breakers.beginProbe(subject, at: later)
    let free = note(.accepted, &breakers, isProbe: true, at: later)
    #expect(free == [.devicesFree(subject.home)] && breakers.isQuiet)
  }

  @Test func tokensThatAreStillToBeTriedInTheOtherEnvironmentAreNoCharge() {
    var breakers = Breakers()

    let news = (0..<1_000).flatMap { _ in note(.deviceSuspect, &breakers, isCharge: false) }

    #expect(news.isEmpty && breakers.isQuiet)
  }

  @Test func aWrongTopicHoldsTheDevicesThatNameNoneUntilOneIsAccepted() {
    var breakers = Breakers()
    #expect(breakers.judge(.deviceNotForTopic, subject) == .holdTopic)
    let end = start + RetryTiming.configuration

    let held = [note(.holdTopic, &breakers), note(.holdTopic, &breakers)]

    #expect(held == [[.topicHeld(subject.topic)], []])
    #expect(breakers.admission(subject, at: start) == .held(RetryTiming.configuration))
    #expect(breakers.admission(other { $0.isTopicConfigured = false }, at: start) == .free)
    #expect(breakers.admission(other { $0.topic.app = "b" }, at: start) == .free)
    #expect(breakers.admission(subject, at: end) == .probe)
    breakers.beginProbe(subject, at: end)
    #expect(breakers.admission(subject, at: end) == .afterProbe)
    let again = note(.holdTopic, &breakers, isProbe: true, at: end)
    #expect(again.isEmpty && breakers.admission(subject, at: end) == .held(RetryTiming.configuration))
    let later = end + RetryTiming.configuration
    breakers.beginProbe(subject, at: later)
    let unclear = note(.unknown, &breakers, isProbe: true, at: later)
    #expect(unclear.isEmpty && breakers.admission(subject, at: later) == .probe)
    breakers.beginProbe(subject, at: later)
    let free = note(.accepted, &breakers, isProbe: true, at: later)
    #expect(free == [.topicFree(subject.topic)] && breakers.isQuiet)
  }

  @Test func aTopicThatWasAcceptedIsNotDoubtedAnyMore() {
    var breakers = Breakers()
    _ = note(.holdTopic, &breakers)

    // A device that names the topic itself is not held.
    let named = other { $0.isTopicConfigured = false }
    let news = breakers.note(.accepted, named, of: UUID(), isCharge: false, isProbe: false, at: start)

    #expect(news == [.topicFree(subject.topic)] && breakers.isQuiet)
    #expect(breakers.judge(.deviceNotForTopic, subject) == .deviceNotForTopic)
    #expect(breakers.judge(.deviceNotForTopic, other { $0.topic.app = "b" }) == .holdTopic)
    #expect(breakers.judge(.deviceNotForTopic, other { $0.topic.topic = "c" }) == .holdTopic)
  }

  @Test(arguments: [PushVerdict.accepted, .rejected, .deviceSuspect, .deviceGone(at: nil), .noKey, .holdApp])
  func onlyOneAnswerSpeaksOfTheTopic(verdict: PushVerdict) {
    #expect(Breakers().judge(verdict, subject) == verdict)
    #expect(Breakers().judge(.deviceNotForTopic, other { $0.isTopicConfigured = false }) == .deviceNotForTopic)
  }

  @Test(arguments: [PushVerdict.accepted, .rejected, .unknown, .retryLater(atLeast: nil), .deviceGone(at: nil)])
  func holdsNothingForOtherReasons(verdict: PushVerdict) {
    var breakers = Breakers()

    let news = (0..<100).flatMap { _ in note(verdict, &breakers) }

    #expect(news.isEmpty && breakers.admission(subject, at: start) == .free && breakers.isQuiet)
  }

  private func note(
    _ verdict: PushVerdict, _ breakers: inout Breakers, isCharge: Bool = false, isProbe: Bool = false,
    at now: ContinuousClock.Instant? = nil
  ) -> [Breakers.News] {
    breakers.note(verdict, subject, of: UUID(), isCharge: isCharge, isProbe: isProbe, at: now ?? start)
  }

  private func other(_ change: (inout Breakers.Subject) -> Void) -> Breakers.Subject {
    var other = subject
    change(&other)
    return other
  }
}
