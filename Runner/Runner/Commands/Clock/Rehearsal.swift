import Cron
import FoundationEssentials
import FunctionKit
import Lifecycle
import Manifest
import Queue
import System
import Workers

/// Asks functions, by dry runs, which ticks of their schedules have nothing to do.
@RunnerLoop
final class Rehearsal {
  /// An occurrence that has not been fired.
  struct Tick: Sendable {
    var entry: ScheduleEntry
    /// In seconds since 1970.
    var time: Int64
    /// The occurrence before it.
    var last: Int64?
    /// How long the function looked for something to do.
    var microseconds: Int64 = 0

    var id: String { entry.eventID(of: .seconds(time)) }
  }

  /// The schedules of the functions that can be asked.
  let entries: [ScheduleEntry]
  private var pools: [String: FunctionPool] = [:]

  /// Processes are started when they are needed, and end with this process.
  init(_ project: Project) throws {
    let functions = project.manifest.functions.filter(\.rehearses)
    entries = try project.manifest.schedules().filter { entry in functions.contains { $0.name == entry.function } }
    let environment = project.functionEnvironment()
    for function in functions {
      let launch = Launch(
        executable: project.executable(of: function), arguments: ["--dry-run"],
        environment: environment.variables(for: function), directory: project.directory)
      pools[function.name] = FunctionPool(function, launch: launch) { _ in }
    }
  }

  /// The ticks before the first one that may have something to do.
  ///
  /// Ticks of the same time are all among them, or none.
  /// - Parameter ticks: in the order of time.
  func quiet(_ ticks: [Tick]) async -> [Tick] {
    let runs = ticks.map { tick in Task { await microseconds(ofIdle: tick) } }
    var (quiet, end): ([Tick], Int64?) = ([], nil)
    for (tick, run) in zip(ticks, runs) {
      let microseconds = await run.value
      if microseconds == nil { end = min(end ?? tick.time, tick.time) }
      var tick = tick
      tick.microseconds = microseconds ?? 0
      quiet.append(tick)
    }
    return quiet.filter { tick in end.map { tick.time < $0 } ?? true }
  }

  /// How long the tick took to find nothing to do; `nil` if it found something, or failed.
  private func microseconds(ofIdle tick: Tick) async -> Int64? {
    let (entry, time) = (tick.entry, Date.seconds(tick.time))
    let occurrence = CatchUp.Occurrence(scheduledTime: tick.time, isPastDue: false, missedCount: 0)
    guard let pool = pools[entry.function],
      let data = try? JSONCoding.encode(entry.tick(occurrence, firedAt: time, last: tick.last))
    else { return nil }
    // A tick runs a moment after its time, and does everything that is due by then.
    let now = RFC3339.string(time.addingTimeInterval(0.01))
    let envelope = Envelope(
      id: tick.id, source: entry.source, type: EventType.schedule,
      extensions: [("time", RawJSON(RFC3339.string(time))), ("now", RawJSON(now))], data: data)
    return await withCheckedContinuation { done in
      pool.submit(
        Job(id: tick.id, line: envelope.document.line, trigger: .schedule) { outcome in
          guard case .exited(0, let output?) = outcome.ending, output.countsNothing else {
            return done.resume(returning: nil)
          }
          done.resume(returning: outcome.microseconds)
        })
    }
  }
}

extension RawJSON {
  /// Whether every number in it is 0.
  var countsNothing: Bool {
    switch kind {
    case .number: intValue == 0
    case .object: members.allSatisfy(\.value.countsNothing)
    case .array: elements?.allSatisfy(\.countsNothing) ?? true
    case .string, .bool, .null: true
    }
  }
}
