import CLI
import Inspection
import Lifecycle
import Manifest
import Metrics

/// All functions with what they do now and did in the last hour.
struct FunctionList {
  let entries: [FunctionEntry]
  let report: RunnerReport
  let pulse: PulseReading
  /// The memory of the runner, and of the processes of each function, in bytes.
  let memory: FunctionMemory
  /// `nil` if the database could not be asked.
  let states: TriggerStates?
  /// Names the variables that functions lack.
  let environment: FunctionEnvironment

  private static let numbers = ["processes", "memory", "running", "waiting", "retrying", "dead"]

  var html: HTML {
    tag(.div, .region("functions")) {
      if let problem = pulse.problem {
        tag(.p, .class("callout bad"), .role("alert")) {
          "The database does not answer, so these counts are of an earlier time: "
          name(problem, longest: 1_000)
        }
      }
      tiles
      if entries.isEmpty {
        emptiness("functions.json has no functions.")
      } else {
        table(
          "Functions",
          ["function", "triggers", "state"] + Self.numbers + ["last hour"], numbers: Set(Self.numbers), class: "stack"
        ) {
          for entry in entries { row(entry) }
        }
      }
    }
  }

  private var tiles: HTML {
    tag(.ul, .class("tiles")) {
      tile("\(processes)", Self.processes(processes))
      tile("\(report.functions.reduce(0) { $0 + $1.running })", "running")
      tile(PulseReading.text(pulse.waiting), "in the queue")
      tile(PulseReading.text(pulse.dead), "dead letters")
      tile(FunctionMemory.text(memory.functions.values.reduce(0, +)), "memory of the processes")
      tile(FunctionMemory.text(memory.runner), "memory of the runner")
    }
  }

  private var processes: Int { report.functions.reduce(0) { $0 + $1.processes } }

  private static func processes(_ count: Int) -> String { count == 1 ? "process" : "processes" }

  private func tile(_ number: String, _ what: String) -> HTML {
    tag(.li) {
      tag(.strong) { number }
      what
    }
  }

  private func row(_ entry: FunctionEntry) -> HTML {
    let state = report[entry.name]
    let figures = pulse.functions[entry.name] ?? PulseReading.Function()
    return tag(.tr) {
      tag(.th, .scope("row")) {
        tag(.a, .id("f-\(entry.name)"), .href(Address("functions", entry.name))) { name(entry.name) }
      }
      cell("text") {
        for (index, trigger) in entry.triggers.enumerated() {
          if index > 0 { tag(.br) }
          tag(.small) { TriggerLine(trigger: trigger, function: entry.name, states: states).html }
        }
      }
      cell {
        StateBadge.of(state)
        MissingSettings(environment.missing(for: entry)).html
      }
      number(state?.processes ?? 0, Self.processes(state?.processes ?? 0))
      cell("number") {
        if let bytes = memory.functions[entry.name], bytes > 0 {
          FunctionMemory.text(bytes)
          tag(.span, .class("unseen")) { " memory" }
        }
      }
      number(state?.running ?? 0, "running")
      number(figures.waiting, "in the queue")
      number(figures.retrying, "retrying")
      number(figures.dead, "dead")
      cell { Self.hour(figures, of: entry.name) }
    }
  }

  private func number(_ count: Int, _ what: String) -> HTML {
    cell("number") {
      if count > 0 {
        PulseReading.text(count)
        tag(.span, .class("unseen")) { " \(what)" }
      }
    }
  }

  static func hour(_ figures: PulseReading.Function, of function: String) -> HTML {
    let (ended, failed) = (figures.ended.reduce(0, +), figures.failed.reduce(0, +))
    guard ended > 0 else { return tag(.span, .class("faint")) { "quiet" } }
    // A minute a point: less would not be seen.
    return Sparkline(
      figures.ended.grouped(6), label: "\(function): \(ended) ended in the last hour, \(failed) failed",
      failures: figures.failed.grouped(6)
    ).html
  }
}

extension [Int] {
  /// The sums of that many neighbours, counted from the last one.
  func grouped(_ size: Int) -> [Double] {
    let start = count.isMultiple(of: size) ? 0 : count % size - size
    return stride(from: start, to: count, by: size).map { Double(self[Swift.max(0, $0)..<$0 + size].reduce(0, +)) }
  }
}

extension PulseReading {
  /// A count, which may be larger than what was counted.
  static func text(_ count: Int) -> String { count >= most ? "\(most)+" : "\(count)" }
}

/// Whether a function takes events.
enum StateBadge {
  static func of(_ state: RunnerReport.Function?) -> HTML {
    guard let state else { return badge("not here") }
    if let outage = state.outage {
      return badge("target away", "notice") + tag(.small) { " \(outage.clipped(to: 200))" }
    }
    if let pause = state.paused {
      return badge("paused", "bad") + tag(.small) { " \(pause.code): \(pause.message.clipped(to: 200))" }
    }
    if state.running > 0 { return badge("running", "busy") }
    return state.isElsewhere ? badge("elsewhere", "good") : badge("ready", "good")
  }
}

/// The variables that a function asks for and does not get.
struct MissingSettings {
  private let names: [String]

  init(_ names: [String]) { self.names = names }

  var html: HTML {
    guard !names.isEmpty else { return HTML() }
    return HTML(" ") + badge("lacks settings", "notice") + HTML(" ")
      + tag(.small) { name(names.joined(separator: ", "), longest: 300) }
  }
}
