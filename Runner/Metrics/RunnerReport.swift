package import FunctionKit
package import System
package import Workers

/// What the runner is doing, as `GET /_/state` tells it.
package struct RunnerReport: Decodable {
  /// Whether nothing waits or runs, and nothing is due that has not been looked at.
  package var isIdle: Bool
  /// The lanes of the queue that this runner holds.
  package var lanes: [Int]
  /// How many events were found that had been passed by.
  package var overtaken: Int
  /// The ids of events that nobody seems to have in hand; the next look tells.
  package var suspects: [String]
  package var functions: [Function]

  /// What it says of a function; `nil` where it has none of that name.
  package subscript(name: String) -> Function? { functions.first { $0.name == name } }

  private enum CodingKeys: String, CodingKey {
    case isIdle = "idle"
    case lanes, overtaken, suspects, functions
  }

  package struct Function: Decodable {
    package var name: String
    /// Why its events wait, where they do until it is mended.
    package var paused: EventReport.Pause?
    package var processes: Int
    /// Events that a process has been given.
    package var running: Int
    /// Events that were read and have not been started.
    package var waiting: Int
    /// The ids of the queue's events that run.
    package var events: [String]
  }
}

/// What the queue's engine tells of itself.
package struct EventReport {
  package struct Pause: Decodable, Equatable {
    package var code: String
    package var message: String
  }

  /// Whether nothing is in memory or wanted, and the schedules have been looked at since the clock was last changed.
  package var isIdle = true
  package var lanes: [Int] = []
  package var overtaken = 0
  package var suspects: [String] = []
  package var paused: [String: Pause] = [:]
  /// Events that were read and have not been given to a pool, by function.
  package var waiting: [String: Int] = [:]

  package init() {}
}

extension RunnerReport {
  @RunnerLoop
  package init(_ pools: [String: FunctionPool], _ events: EventReport) {
    isIdle = events.isIdle && pools.values.allSatisfy { $0.load == 0 }
    (lanes, overtaken, suspects) = (events.lanes, events.overtaken, events.suspects)
    functions = pools.sorted { $0.key < $1.key }.map { name, pool in
      Function(
        name: name, paused: events.paused[name], processes: pool.processes, running: pool.load - pool.waiting,
        waiting: pool.waiting + (events.waiting[name] ?? 0), events: pool.handled)
    }
  }

  package var json: RawJSON {
    RawJSON(object: [
      ("idle", RawJSON(isIdle)), ("lanes", RawJSON(array: lanes.map { RawJSON($0) })),
      ("overtaken", RawJSON(overtaken)), ("suspects", RawJSON(array: suspects.map { RawJSON($0) })),
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
    ])
  }
}
