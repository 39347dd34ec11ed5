import FunctionKit
import Inspection
import Lifecycle
import Manifest
import Metrics

/// One function: its entry in `functions.json` read for people.
struct FunctionView {
  let entry: FunctionEntry
  let desk: Desk
  /// `nil` if the database could not be asked.
  let states: TriggerStates?
  let memory: FunctionMemory

  func page(token: String) -> Page {
    let state = desk.report[entry.name]
    let figures = desk.pulse.functions[entry.name] ?? PulseReading.Function()
    return Page(entry.name, in: "functions", live: [.events]) {
      tag(.div, .region("function")) {
        tag(.p) {
          StateBadge.of(state)
          MissingSettings(desk.environment.missing(for: entry)).html
        }
        if state?.paused != nil, desk.mayAct {
          ActForm("Try it again", at: Address("functions", entry.name, "resume"), id: "resume").html(token: token)
        }
        facts([
          ("processes", HTML("\(state?.processes ?? 0) of \(entry.concurrency)")),
          ("memory of their own", HTML(FunctionMemory.text(memory.functions[entry.name] ?? 0))),
          ("running", HTML("\(state?.running ?? 0)")), ("in the queue", HTML(PulseReading.text(figures.waiting))),
          ("retrying", HTML(PulseReading.text(figures.retrying))),
          ("dead letters", HTML(PulseReading.text(figures.dead))),
        ])
      }
      part("The last hour") { HourCharts([figures], isBesideClock: desk.virtualTime != nil).html }
      part("Triggers") {
        if entry.triggers.isEmpty {
          tag(.p) { "None: it runs when somebody calls it." }
        } else {
          tag(.ul) {
            for trigger in entry.triggers {
              tag(.li) { TriggerLine(trigger: trigger, function: entry.name, states: states).html }
            }
          }
        }
      }
      part("Limits and rules") { facts(rules) }
      part("Environment") { environment }
    }
  }

  private var rules: [(String, HTML)] {
    var rules: [(String, HTML)] = [
      ("runs as", HTML(entry.target.map { "a call of \($0.engine.rawValue)" } ?? mode)),
      ("at the same time", HTML("\(entry.concurrency)")), ("time limit", HTML("\(entry.timeout) s")),
      ("tried", HTML("up to \(entry.attempts) times, for \(entry.maxAge / 3_600) h at most")),
      ("after a failure", HTML(entry.onFailure == .block ? "its key waits" : "the events behind it go on")),
    ]
    if let key = entry.key { rules.append(("in order of", name(key))) }
    if let batch = entry.batch { rules.append(("batch", HTML("up to \(batch) events"))) }
    if !entry.redact.isEmpty { rules.append(("redacted", name(entry.redact.joined(separator: ", ")))) }
    return rules
  }

  private var mode: String {
    switch entry.mode {
    case .warm: "processes that stay"
    case .oneshot: "a process for each event"
    case .discard: "nothing: its events end at once"
    }
  }

  /// Names only: no value of a variable is shown.
  private var environment: HTML {
    let missing = Set(desk.environment.missing(for: entry))
    return tag(.ul) {
      for variable in entry.environment {
        tag(.li) {
          tag(.code) { variable }
          if missing.contains(variable) { " " }
          if missing.contains(variable) { badge("not set", "bad") }
          if entry.optional.contains(variable) { tag(.small) { " optional" } }
        }
      }
      if entry.environment.isEmpty { tag(.li) { "No variables but PATH." } }
    }
  }
}
