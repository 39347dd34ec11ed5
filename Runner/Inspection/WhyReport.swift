import CLI
package import Documents
import FoundationEssentials
import Manifest

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
        (.dead, "runner events retry \(event.id) tries it again; runner events purge \(event.id) deletes it."),
      ]
    }
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
}
