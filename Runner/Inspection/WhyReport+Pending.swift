import CLI
import Documents
import FoundationEssentials
import Manifest
import Metrics

extension WhyReport {
  /// What an event waits for before its first or next attempt.
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
