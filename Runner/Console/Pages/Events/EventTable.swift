import CLI
import Documents
import FoundationEssentials
import Inspection
import Metrics

/// Events, a row each.
struct EventTable {
  var events: [EventSummary]
  var report: RunnerReport
  /// How many events of a function may run at once, by its name.
  var limits: [String: Int]
  /// The events' clock.
  var now: Date

  var html: HTML {
    table(
      "Events", ["at", "function", "subject", "state", "attempts", "took", "why"], numbers: ["attempts", "took"],
      class: "stack"
    ) {
      for event in events { row(event) }
    }
  }

  private func row(_ event: EventSummary) -> HTML {
    tag(.tr) {
      cell("tight") {
        tag(.a, .id("e-\(event.function)-\(event.id)"), .href(event.address)) { time(event.at, now: now) }
      }
      cell { name(event.function) }
      cell {
        tag(.small) { name(event.kind) }
        if let key = event.key {
          tag(.br)
          tag(.code) { name(key) }
        }
      }
      cell { StateOfEvent.of(event.state) }
      cell("number") { event.attempts > 1 ? "\(event.attempts)" : "" }
      cell("number") { event.milliseconds.map { TimeText.length($0 / 1_000) } ?? "" }
      cell("text") {
        tag(.small) {
          if event.state == .waiting, let blocker = event.blocker {
            "behind "
            tag(.a, .href(Address("event", blocker).with("function", event.function))) { name(blocker, longest: 80) }
          } else {
            name(reason(event), longest: 240)
          }
        }
      }
    }
  }

  /// The reason of its state, in a few words; the event's own page has all.
  private func reason(_ event: EventSummary) -> String {
    let failure = event.code.flatMap { $0 == "OK" ? nil : $0 }.map { code in
      "\(code)\(event.error.map { ": \($0.firstLine)" } ?? "")"
    }
    let state = report[event.function]
    switch event.state {
    case .running, .done: return ""
    case .failed, .dead: return failure ?? ""
    case .retrying:
      let due = event.runAt.map { $0 > now ? "next try in \(TimeText.length($0.timeIntervalSince(now)))" : "due" }
      return [due, failure].compactMap(\.self).joined(separator: ": ")
    case .waiting:
      if let outage = state?.outage { return "the target is away: \(outage)" }
      if let pause = state?.paused { return "the function is paused: \(pause.code): \(pause.message)" }
      guard let state else { return "this runner has no such function" }
      if report.partitions.isEmpty { return "no part of the queue is held here" }
      if let partition = event.partition, !report.partitions.contains(partition) {
        return "its part of the queue is not held here"
      }
      let isAtLimit = limits[event.function].map { state.running >= $0 } ?? false
      return isAtLimit ? "the function is at its limit: \(state.running) run" : "its turn"
    }
  }
}

extension EventSummary {
  /// Its page.
  var address: Address { Address("event", id).with("function", function) }
}

/// An event's state for the eye.
enum StateOfEvent {
  static func of(_ state: EventSummary.State) -> HTML {
    let kind =
      switch state {
      case .waiting: ""
      case .running: "busy"
      case .retrying: "notice"
      case .dead, .failed: "bad"
      case .done: "good"
      }
    return badge(state.rawValue, kind)
  }
}
