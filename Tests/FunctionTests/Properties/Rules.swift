import FoundationEssentials
import Notifications
import World

/// Rules for everything that was sent and written, each in its own simple reading.
///
/// Each answers with what broke it.
struct Rules {
  /// Everything that went out, badges alone and counts of votes among it.
  let pushes: [SentPush]
  let handed: [HandedEvent]
  let decisions: [WrittenDecision]
  let rechecks: [UUID: [Recheck]]
  let deliveries: [String]

  struct WrittenDecision {
    let event: String
    let user: String
    let subject: String
    let kind: String
    let verdict: String
    let reason: String?
    let notification: UUID?
    let deliveries: Int
  }

  struct Recheck {
    let verdict: String
    let reason: String?
  }

  var broken: [String] {
    named("own act", ownActs) + named("told twice", toldTwice) + named("quiet hours", quietHours)
      + named("muted", muted)
      + named("hourly limit", hourlyLimit) + named("one reason", oneReason)
      + named("settled in the end", settledInTheEnd) + named("badge", badges) + named("their device", theirDevices)
      + named("private", privateTitles)
  }

  /// The pushes that told somebody something.
  private var sent: [SentPush] { pushes.filter { !["badge", "vote_count"].contains($0.kind) } }

  private func named(_ rule: String, _ what: [String]) -> [String] { what.map { "\(rule): \($0)" } }

  /// The ids that functions were given; a part of an event has an id that goes on after a slash.
  private func event(_ id: String) -> String { String(id.prefix { $0 != "/" }) }

  private var ownActs: [String] {
    let actors = Dictionary(uniqueKeysWithValues: handed.map { ($0.id, $0.actors) })
    let told = decisions.filter { $0.verdict != "suppress" && actors[event($0.event)]?.contains($0.user) == true }
    return told.map { "\($0.kind) of \($0.event) was decided as \($0.verdict) for its own actor" }
      + sent.filter { actors[event($0.event)]?.contains($0.user) == true }.map(\.words)
  }

  private var toldTwice: [String] {
    let ticks = Set(handed.filter(\.isTick).map(\.id))
    var notifications: [[String]: Set<UUID>] = [:]
    func tell(_ id: String, _ user: String, _ subject: String, _ kind: String, _ notification: UUID) {
      let key = [event(id), user, subject] + (ticks.contains(event(id)) ? [kind] : [])
      notifications[key, default: []].insert(notification)
    }
    for decision in decisions where decision.verdict != "suppress" {
      tell(decision.event, decision.user, decision.subject, decision.kind, decision.notification ?? UUID())
    }
    var accepted: [[UUID]: Int] = [:]
    for push in sent {
      // A summary comes of no event.
      if push.kind != "quiet_summary" { tell(push.event, push.user, push.subject, push.kind, push.notification) }
      if push.verdict == .accepted { accepted[[push.notification, push.device], default: 0] += 1 }
    }
    return notifications.filter { $0.value.count > 1 }.map { "\($0.key) has \($0.value.count) notifications" }
      + accepted.filter { $0.value > 1 }.map { "\($0.key) was accepted \($0.value) times" }
  }

  private var quietHours: [String] {
    decided.filter { $0.isInQuietHours && !$0.isUrgent }.map { "\($0.words), quiet \($0.quietFrom)–\($0.quietUntil)" }
  }

  private var muted: [String] { decided.filter { $0.isMuted && !$0.isUrgent }.map(\.words) }

  /// The pushes that went out by a decision of that moment.
  private var decided: [SentPush] {
    var tried: [[UUID]: Date] = [:]
    return sent.filter { push in
      let first = tried[[push.notification, push.device]]
      tried[[push.notification, push.device]] = first ?? push.time
      // Another attempt of the same minute is no new decision.
      return first.map { push.time.timeIntervalSince($0) > 60 } ?? true
    }
  }

  private var hourlyLimit: [String] {
    var first: [UUID: SentPush] = [:]
    for push in sent where !push.isPressing && first[push.notification] == nil { first[push.notification] = push }
    return first.values.compactMap { push in
      guard let limit = push.limit else { return nil }
      let hour = first.values.filter {
        // A push counts from its decision if it goes out within the minute after.
        $0.user == push.user && $0.app == push.app && $0.time <= push.time
          && push.time.timeIntervalSince($0.time) < 3_600 - 60
      }
      return hour.count > limit ? "\(push.words) is number \(hour.count) of an hour of \(limit)" : nil
    }
  }

  private var oneReason: [String] {
    let reasons = Set(Suppression.allCases.map(\.rawValue))
    let wrong = decisions.filter { decision in
      switch decision.verdict {
      case "notify": decision.reason != nil
      case "hold": !["batched", "quiet_hours", "muted", "rate_limited"].contains(decision.reason)
      default: decision.reason.map { !reasons.contains($0) } ?? true
      }
    }
    let decided = Dictionary(grouping: decisions) { event($0.event) }
    let uneven = handed.flatMap { handed in
      guard let audience = handed.audience else { return [String]() }
      let people = (decided[handed.id] ?? []).map(\.user)
      return people.count == audience.count && Set(people) == audience
        ? [] : ["\(handed.id) of \(handed.function) has \(people.count) decisions on \(audience.count) people"]
    }
    let late = rechecks.values.joined().filter { recheck in
      recheck.verdict == "suppress" && recheck.reason.map { !reasons.contains($0) } ?? true
    }
    return wrong.map { "\($0.kind) of \($0.event) is \($0.verdict), \($0.reason ?? "without a reason")" } + uneven
      + late.map { "a \($0.verdict) when due has the reason \($0.reason ?? "none")" }
  }

  private var settledInTheEnd: [String] {
    let open = decisions.compactMap { decision -> String? in
      let verdicts = [decision.verdict] + (decision.notification.flatMap { rechecks[$0] } ?? []).map(\.verdict)
      let ends = verdicts.drop { $0 == "hold" }
      // A delivery that was to be sent may be put off or given up in the queue, and replaced by the next of its family.
      let isSent = ends.first == "notify" && decision.deliveries > 0
      // A late summary leaves out what is over by then.
      let isLeftOut = ends.first == "summarize" && ends.dropFirst().allSatisfy { $0 == "suppress" }
      let isOver = isSent ? !ends.dropFirst().contains("notify") : ends.count == 1 || isLeftOut
      return isOver && (isSent || ends.first != "notify")
        ? nil : "\(decision.kind) of \(decision.event): \(verdicts), \(decision.deliveries) deliveries"
    }
    let ends: Set = ["accepted", "rejected", "expired", "unknown"]
    return open + deliveries.filter { !ends.contains($0) }.map { "a delivery is still \($0)" }
  }

  private var badges: [String] {
    pushes.filter { $0.kind != "vote_count" && $0.badge != $0.countedBadge }.map {
      "\($0.words) has \($0.badge.map(String.init) ?? "no badge") instead of \($0.countedBadge)"
    }
  }

  private var theirDevices: [String] { pushes.filter { !$0.isTheirs }.map(\.words) }

  private var privateTitles: [String] {
    sent.filter { push in
      let hidden = push.payload.contains("HIDDEN") && !push.payload.contains("HIDDEN from all but \(push.user)")
      return push.payload.contains(World.secret) || hidden
    }.map(\.words)
  }
}
