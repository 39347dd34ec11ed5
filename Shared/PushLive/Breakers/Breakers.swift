import FoundationEssentials
import Notifications

/// Holds pushes while APNs refuses a team's tokens, a key, an app, an app's devices or the topic that the configuration
/// gives them.
struct Breakers: Sendable {
  private var teams: [String: TimedOutage] = [:]
  private var credentials: [ProviderTokenID: Breaker] = [:]
  private var apps: [APNsApp: Breaker] = [:]
  private var suspicions: [APNsApp: Suspicion] = [:]
  private var topics: [AppTopic: Breaker] = [:]
  /// The topics under which APNs has accepted a push to a device of the app: the configuration names them rightly.
  private var provenTopics: Set<AppTopic> = []
  /// Whether nothing is held, as for almost every push.
  private(set) var isQuiet = true

  /// Everything that a push depends on and that can have a fault.
  struct Subject: Sendable {
    var credential: ProviderTokenID
    /// Where it goes.
    var app: APNsApp
    /// The same with the topic of the push's type: APNs may refuse an app's Live Activities and take its alerts.
    var gate: APNsApp
    /// The environment of its device.
    ///
    /// A probe of the other environment goes elsewhere.
    var home: APNsApp
    /// Its app, and the topic of the push's type.
    var topic: AppTopic
    /// Whether the device has not named the topic, so that the configuration's counts.
    var isTopicConfigured: Bool
  }

  /// A topic of an app that `device_tokens.app` names.
  struct AppTopic: Hashable, Sendable {
    var app: String
    var topic: String
  }

  /// The news for an operator.
  enum News: Sendable, Equatable {
    case teamHeld(String)
    case credentialHeld(ProviderTokenID)
    case credentialFree(ProviderTokenID)
    case appHeld(APNsApp)
    case appFree(APNsApp)
    case devicesHeld(APNsApp)
    case devicesFree(APNsApp)
    case topicHeld(AppTopic)
    case topicFree(AppTopic)
  }

  func admission(_ subject: Subject, at now: ContinuousClock.Instant) -> Breaker.Admission {
    if isQuiet { return .free }
    let team: Breaker.Admission = outage(ofTeam: subject, at: now).map { .held($0.pause) } ?? .free
    return breakers(of: subject).reduce(team) { $0.and($1.admission(at: now)) }
  }

  /// Why a push is held, in words.
  func obstacle(_ subject: Subject, at now: ContinuousClock.Instant) -> String? {
    if let team = outage(ofTeam: subject, at: now) { return team.words }
    return breakers(of: subject).first { if case .held = $0.admission(at: now) { true } else { false } }?.why
  }

  /// Why the team of a push is held; `nil` if it is not.
  private func outage(ofTeam subject: Subject, at now: ContinuousClock.Instant) -> Outage? {
    teams[subject.credential.teamID]?.outage(at: now)
  }

  private func breakers(of subject: Subject) -> [Breaker] {
    [
      credentials[subject.credential], apps[subject.gate], suspicions[subject.home]?.breaker,
      subject.isTopicConfigured ? topics[subject.topic] : nil,
    ].compactMap(\.self)
  }

  /// A push that tries for others is being sent.
  mutating func beginProbe(_ subject: Subject, at now: ContinuousClock.Instant) {
    if credentials[subject.credential]?.admission(at: now) == .probe { credentials[subject.credential]?.beginProbe() }
    if apps[subject.gate]?.admission(at: now) == .probe { apps[subject.gate]?.beginProbe() }
    if suspicions[subject.home]?.breaker.admission(at: now) == .probe { suspicions[subject.home]?.breaker.beginProbe() }
    guard subject.isTopicConfigured else { return }
    if topics[subject.topic]?.admission(at: now) == .probe { topics[subject.topic]?.beginProbe() }
  }

  /// The verdict with regard to who has named the topic.
  ///
  /// Any registered device may be another app's. So such an answer speaks against the configuration only until a device
  /// of the app is accepted under the topic: otherwise one person could hold all others.
  func judge(_ verdict: PushVerdict, _ subject: Subject) -> PushVerdict {
    guard verdict == .deviceNotForTopic, subject.isTopicConfigured else { return verdict }
    return provenTopics.contains(subject.topic) ? verdict : .holdTopic
  }

  /// The push that tried has ended without an answer that decides.
  mutating func endProbe(_ subject: Subject) {
    credentials[subject.credential]?.endProbe()
    apps[subject.gate]?.endProbe()
    suspicions[subject.home]?.breaker.endProbe()
    if subject.isTopicConfigured { topics[subject.topic]?.endProbe() }
  }

  /// Records a final verdict.
  ///
  /// - Parameters:
  ///   - person: the owner of the device.
  ///   - isCharge: whether a `BadDeviceToken` would deactivate a device that was good before.
  ///   - isProbe: whether the push tried for others.
  ///   - why: what the verdict says of others, in words.
  mutating func note(
    _ verdict: PushVerdict, _ subject: Subject, of person: UUID, isCharge: Bool, isProbe: Bool, why: String? = nil,
    at now: ContinuousClock.Instant
  ) -> [News] {
    var news: [News] = []
    switch verdict {
    case .holdTeam:
      let isNews = (teams[subject.credential.teamID]?.end ?? now) <= now
      teams[subject.credential.teamID] = TimedOutage("Held", words: why, for: RetryTiming.team, from: now)
      if isNews { news.append(.teamHeld(subject.credential.teamID)) }
    case .holdCredential:
      if credentials[subject.credential, default: Breaker()].open(at: now, because: why) {
        news.append(.credentialHeld(subject.credential))
      }
    case .holdApp:
      if apps[subject.gate, default: Breaker()].open(at: now, because: why) { news.append(.appHeld(subject.gate)) }
    case .holdTopic:
      if isProbe { news += closeAfterProbe(subject) }
      if topics[subject.topic, default: Breaker()].open(at: now, because: why) {
        news.append(.topicHeld(subject.topic))
      }
    case _ where verdict.provesConnection:
      if isProbe { news += closeAfterProbe(subject) }
      if verdict == .accepted, provenTopics.insert(subject.topic).inserted, topics[subject.topic]?.close() == true {
        news.append(.topicFree(subject.topic))
      }
      news += noteDevice(verdict, subject, person, isCharge, isProbe, now)
    default: break
    }
    if isProbe { endProbe(subject) }
    if !isQuiet || !news.isEmpty { updateQuiet(at: now) }
    return news
  }

  /// Whether and for how long no device of the app may be deactivated.
  func suspicion(_ home: APNsApp, at now: ContinuousClock.Instant) -> Duration? {
    guard let breaker = suspicions[home]?.breaker, !breaker.isClosed else { return nil }
    if case .held(let pause) = breaker.admission(at: now) { return pause }
    return .seconds(1)
  }

  /// Releases what was held because of a key that was replaced.
  mutating func lift(_ credential: ProviderTokenID, at now: ContinuousClock.Instant) -> [News] {
    let wasHeld = credentials.removeValue(forKey: credential).map { !$0.isClosed } ?? false
    updateQuiet(at: now)
    return wasHeld ? [.credentialFree(credential)] : []
  }

  private mutating func closeAfterProbe(_ subject: Subject) -> [News] {
    var news: [News] = []
    if credentials[subject.credential]?.close() == true { news.append(.credentialFree(subject.credential)) }
    if apps[subject.gate]?.close() == true { news.append(.appFree(subject.gate)) }
    return news
  }

  private mutating func noteDevice(
    _ verdict: PushVerdict, _ subject: Subject, _ person: UUID, _ isCharge: Bool, _ isProbe: Bool,
    _ now: ContinuousClock.Instant
  ) -> [News] {
    // The probe of the other environment shows whether a device belongs there. A person can invent any number of tokens
    // that APNs has never accepted.
    if verdict == .deviceSuspect, !isCharge { return [] }
    let (home, isRefusal) = (subject.home, verdict == .deviceSuspect)
    // It is changed where it stands. A copy would take the counts of up to 10,000 people along at every answer.
    let hasJumped = suspicions[home, default: Suspicion(at: now)].note(isRefusal: isRefusal, of: person, at: now)
    if isRefusal, hasJumped || isProbe {
      guard hasJumped || suspicions[home]?.breaker.isClosed == false else { return [] }
      let isNews = suspicions[home]?.breaker.open(at: now, because: PushReport.suspicion(of: home.topic)) == true
      return isNews ? [.devicesHeld(home)] : []
    }
    guard verdict == .accepted, isProbe, suspicions[home]?.breaker.close() == true else { return [] }
    suspicions[home]?.reset(at: now)
    return [.devicesFree(home)]
  }

  private mutating func updateQuiet(at now: ContinuousClock.Instant) {
    isQuiet =
      teams.values.allSatisfy { $0.end <= now } && credentials.values.allSatisfy(\.isClosed)
      && apps.values.allSatisfy(\.isClosed) && suspicions.values.allSatisfy(\.breaker.isClosed)
      && topics.values.allSatisfy(\.isClosed)
  }
}
