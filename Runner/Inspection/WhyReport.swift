import CLI
package import Documents
import FoundationEssentials
import Manifest
import Metrics

extension WhyReport {
  package init(_ facts: WhyFacts) {
    let findings =
      switch facts.event?.state {
      case nil: Self.missing(facts)
      case .done, .failed, .dead: Self.ended(facts)
      case .waiting, .running, .retrying: Self.pending(facts)
      }
    self.init(
      id: facts.event?.id ?? facts.id.text, reason: findings[0].reason, sentences: findings.map(\.sentence))
  }

  package typealias Finding = (reason: Reason, sentence: String)

  private static func ended(_ facts: WhyFacts) -> [Finding] {
    guard let event = facts.event else { return [] }
    let time = event.endedAt.map(TimeText.of) ?? ""
    let error = event.error.map { $0.isEmpty ? "." : ": \($0.firstLine)" } ?? "."
    let tries = count(event.attempts, "attempt")
    switch event.state {
    case .done: return [(.done, "It is done: \(event.function) ended it at \(time), after \(tries).")]
    case .failed:
      return [
        (
          .failed, "Its last attempt failed at \(time) with \(event.code ?? "")\(error)"
        ), (.failed, "It is not tried again: it was a call over HTTP, or its dead letter has been purged."),
      ]
    default:
      return [
        (.dead, "It has been a dead letter since \(time), because \(cause(event, facts.entry))."),
        (.dead, "\(event.code ?? "")\(error)"),
        (.dead, mending(event)),
      ]
    }
  }

  /// Advice about a dead letter.
  private static func mending(_ event: EventSummary) -> String {
    let purging = "runner events purge \(event.id) deletes it."
    guard event.code == "INVALID_EVENT" else { return "runner events retry \(event.id) tries it again; \(purging)" }
    let correcting = "runner resend \(event.id) --event FILE sends it corrected, as a new event"
    return "runner export \(event.id) prints it, and \(correcting); \(purging)"
  }

  private static func cause(_ event: EventSummary, _ entry: FunctionEntry?) -> String {
    switch event.code {
    case "INVALID_EVENT", "INVALID_OUTPUT": "trying again cannot help"
    case "TOO_LARGE": "the change is larger than an event may be"
    case _ where event.crashes >= 3: "its process crashed \(event.crashes) times"
    case _ where entry.map({ event.attempts >= $0.attempts }) ?? true: "it used up \(count(event.attempts, "attempt"))"
    default: "it had become too old to be tried again, after \(count(event.attempts, "attempt"))"
    }
  }

  private static func missing(_ facts: WhyFacts) -> [Finding] {
    var findings: [Finding] = []
    if let schedule = facts.schedule {
      if let skipped = schedule.skipped {
        findings.append((.skipped, "That occurrence of the schedule \(schedule.name) was left out: \(skipped)."))
      }
      if let paused = schedule.pausedAt {
        findings.append(
          (
            .schedulePaused,
            "The schedule \(schedule.name) has been paused since \(TimeText.of(paused)): its occurrences make no events."
          ))
      }
      if schedule.time > facts.now {
        let wait = TimeText.length(schedule.time.timeIntervalSince(facts.now))
        findings.append((.notDue, "It is due at \(TimeText.of(schedule.time)) (in \(wait))."))
      }
      if !findings.isEmpty { return findings }
    }
    if facts.isDrawn == false { return [(.notDrawn, "No event has been given the number \(facts.id.text) yet.")] }
    let writers = facts.transactions.filter { open in
      facts.id.place.map { open.partitions.contains($0.partition) } ?? !open.partitions.isEmpty
    }
    let other = "or its outcome is older than \(count(facts.historyDays, "day"))"
    findings = [
      facts.isDrawn == true
        ? (
          writers.isEmpty ? .unknown : .uncommitted,
          "Its number was drawn, but no such event can be seen: its transaction is not committed yet or was rolled back,"
            + " \(other)."
        ) : (.unknown, "There is no event \(facts.id.text): it never existed, is not committed yet, \(other).")
    ]
    return findings + writers.map { (.uncommitted, "The \($0.phrase) has written events that it has not committed.") }
  }

  package static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// The reasons why an event waits for its first or next attempt.
  static func pending(_ facts: WhyFacts) -> [Finding] {
    guard let event = facts.event else { return [] }
    let state = facts.serving?[event.function]
    if state?.events.contains(event.id) == true { return [(.running, "\(event.function) is handling it now.")] }
    if state?.interrupted.contains(event.id) == true { return [interrupted] }
    if let due = retryDue(facts) {
      return [due] + [unknownFunction(facts), noRunner(facts), paused(facts)].compactMap(\.self)
    }
    let findings = [
      overtaken(facts), unknownFunction(facts), noRunner(facts), blocked(facts), paused(facts), behind(facts),
      partition(facts),
      atLimit(facts),
    ].compactMap(\.self)
    return findings.isEmpty ? ready(facts) : findings
  }

  private static let interrupted: Finding = (
    .interrupted,
    "The process that had it in a batch ended before it had answered. Each event of the batch now runs in a process of "
      + "its own until it is known which one was the cause; that has used up no attempt."
  )

  private static func overtaken(_ facts: WhyFacts) -> Finding? {
    guard let event = facts.event, facts.serving?.suspects.contains(event.id) == true else { return nil }
    return (
      .overtaken, "The runner seems to have passed it by. It looks again within seconds, and then runs it and says so."
    )
  }

  private static func retryDue(_ facts: WhyFacts) -> Finding? {
    guard let event = facts.event, event.state == .retrying, let due = event.runAt, due > facts.now else { return nil }
    let wait = TimeText.length(due.timeIntervalSince(facts.now))
    let failure = "\(event.code ?? "")\(event.error.map { ": \($0.firstLine)" } ?? "")"
    let story =
      event.attempts == 0
      ? "its function's database was away: \(failure)" : "it failed \(times(event.attempts)), last with \(failure)"
    return (.retryDue, "Its retry is due at \(TimeText.of(due)) (in \(wait)); \(story)")
  }

  private static func times(_ number: Int) -> String { number == 1 ? "once" : "\(number) times" }

  private static func unknownFunction(_ facts: WhyFacts) -> Finding? {
    guard facts.entry == nil, let event = facts.event else { return nil }
    return (.unknownFunction, "functions.json has no function \(event.function): nobody takes its events.")
  }

  private static func noRunner(_ facts: WhyFacts) -> Finding? {
    facts.lease.isAnyHeld ? nil : (.noRunner, "No runner is up: start one with runner serve.")
  }

  private static func blocked(_ facts: WhyFacts) -> Finding? {
    guard let blocker = facts.blocker else { return nil }
    let key = facts.event?.key.map { " \"\($0)\"" } ?? ""
    let code = blocker.code ?? ""
    guard blocker.state == .retrying else {
      return (
        .blocked,
        "Its key\(key) is blocked by the dead letter \(blocker.id) (\(code)), until that is retried or purged:"
          + " runner events retry \(blocker.id)"
      )
    }
    let wait = blocker.runAt.map { max(0, $0.timeIntervalSince(facts.now)) } ?? 0
    let due = wait > 0 ? "is tried again in \(TimeText.length(wait))" : "is being tried again"
    return (.blocked, "Its key\(key) is blocked by event \(blocker.id), which failed with \(code) and \(due).")
  }

  private static func paused(_ facts: WhyFacts) -> Finding? {
    guard let event = facts.event, let function = facts.serving?[event.function] else { return nil }
    if let outage = function.outage {
      return (.paused, "The target of \(event.function) is away: \(outage) Waiting uses up no attempt.")
    }
    guard let pause = function.paused else { return nil }
    return (
      .paused,
      "\(event.function) is paused (\(pause.code): \(pause.message)). It starts again when its executable, "
        + "functions.json, its environment or its table is mended, or by runner resume \(event.function)"
    )
  }

  private static func behind(_ facts: WhyFacts) -> Finding? {
    guard let ahead = facts.ahead else { return nil }
    let verb = ahead.count == 1 ? "stands" : "stand"
    return (
      .behind, "\(count(ahead.count, "event")) of its key \(verb) in front of it; the first is \(ahead.first)."
    )
  }

  private static func partition(_ facts: WhyFacts) -> Finding? {
    guard facts.lease.isAnyHeld, let partition = facts.event?.partition else { return nil }
    guard facts.lease.isHeld else {
      return (
        .partitionFree,
        "No runner holds its partition \(partition) at this moment; one will take it over within seconds."
      )
    }
    if facts.serving?.partitions.contains(partition) == true { return nil }
    let holder = facts.lease.holder.map { "the runner \($0)" } ?? "a runner that is not this project's"
    return (
      .otherRunner, "Its partition \(partition) is held by \(holder): from here nobody can see why it waits there."
    )
  }

  private static func atLimit(_ facts: WhyFacts) -> Finding? {
    guard let event = facts.event, let entry = facts.entry, let state = facts.serving?[event.function],
      state.running >= entry.concurrency
    else { return nil }
    return (
      .atLimit, "\(event.function) is at its limit: \(state.running) run and \(state.waiting) wait."
    )
  }

  private static func ready(_ facts: WhyFacts) -> [Finding] {
    [(.ready, "Nothing holds it up: it is about to start, or has started.")]
      + facts.transactions.map {
        (.ready, "The \($0.phrase) holds a snapshot, which slows down the reading of the queue.")
      }
  }
}
