package import FunctionKit
package import System
package import Workers

/// The runner's report on its work, for `GET /_/state`.
package struct RunnerReport: Decodable, Sendable {
  /// Whether nothing waits, runs or is due.
  package var isIdle: Bool
  /// The partitions of the queue that this runner holds.
  package var partitions: [Int]
  /// How many events the runner had missed and found later.
  package var overtaken: Int
  /// How many events the runner had taken after a newer one of their key.
  package var outOfOrder = 0
  /// The ids of events that no part of the runner seems to work on.
  ///
  /// The next check decides.
  package var suspects: [String]
  package var functions: [Function]

  /// The report on a function; `nil` if there is none of that name.
  package subscript(name: String) -> Function? { functions.first { $0.name == name } }

  private enum CodingKeys: String, CodingKey {
    case isIdle = "idle"
    case partitions, overtaken, outOfOrder, suspects, functions
  }

  package struct Function: Decodable, Sendable {
    package var name: String
    /// Why its events wait until the function is repaired; `nil` if they do not.
    package var paused: EventReport.Pause?
    package var processes: Int
    /// The ids of these processes; empty where the report was read from JSON.
    package var processIDs: [ProcessID] = []
    /// How many events a process has received.
    package var running: Int
    /// How many events were read but not started.
    package var waiting: Int
    /// The ids of the events that processes work on.
    package var events: [String]
    /// The ids of events whose process ended while it had a batch, and that wait to run alone.
    package var interrupted: [String] = []
    /// Why nothing is sent to its target elsewhere now, and what happens next; `nil` while events are sent.
    package var outage: String?
    /// Whether it runs elsewhere.
    package var isElsewhere = false

    private enum CodingKeys: String, CodingKey {
      case name, paused, processes, running, waiting, events, interrupted, outage
      case isElsewhere = "elsewhere"
    }
  }
}

/// The report of the queue's engine.
package struct EventReport {
  package struct Pause: Decodable, Equatable, Sendable {
    package var code: String
    package var message: String

    package init(code: String, message: String) {
      (self.code, self.message) = (code, message)
    }
  }

  /// Whether no event is in memory or wanted, and the schedules were checked after the last change of the clock.
  package var isIdle = true
  package var partitions: [Int] = []
  package var overtaken = 0
  package var outOfOrder = 0
  package var suspects: [String] = []
  package var paused: [String: Pause] = [:]
  /// How many events were read but not given to a pool, by function.
  package var waiting: [String: Int] = [:]

  package init() {}
}

extension RunnerReport {
  @RunnerLoop
  package init(_ pools: [String: FunctionPool], _ events: EventReport) {
    isIdle = events.isIdle && pools.values.allSatisfy { $0.load == 0 }
    (partitions, suspects) = (events.partitions, events.suspects)
    (overtaken, outOfOrder) = (events.overtaken, events.outOfOrder)
    functions = pools.sorted { $0.key < $1.key }.map { name, pool in
      Function(
        name: name, paused: events.paused[name], processes: pool.processes, processIDs: pool.processIDs,
        running: pool.load - pool.waiting,
        waiting: pool.waiting + (events.waiting[name] ?? 0), events: pool.handled,
        interrupted: pool.interrupted, outage: pool.target?.outage?.message, isElsewhere: pool.target != nil)
    }
  }

  package var json: RawJSON {
    RawJSON(object: [
      ("idle", RawJSON(isIdle)), ("partitions", RawJSON(array: partitions.map { RawJSON($0) })),
      ("overtaken", RawJSON(overtaken)), ("outOfOrder", RawJSON(outOfOrder)),
      ("suspects", RawJSON(array: suspects.map { RawJSON($0) })),
      ("functions", RawJSON(array: functions.map(\.json))),
    ])
  }
}

extension RunnerReport.Function {
  fileprivate var json: RawJSON {
    let paused = paused.map {
      RawJSON(object: [("code", RawJSON($0.code)), ("message", RawJSON($0.message))])
    }
    return RawJSON(object: [
      ("name", RawJSON(name)), ("paused", paused ?? .null), ("processes", RawJSON(processes)),
      ("running", RawJSON(running)), ("waiting", RawJSON(waiting)),
      ("events", RawJSON(array: events.map { RawJSON($0) })),
      ("interrupted", RawJSON(array: interrupted.map { RawJSON($0) })),
      ("elsewhere", RawJSON(isElsewhere)), ("outage", outage.map { RawJSON($0) } ?? .null),
    ])
  }
}
