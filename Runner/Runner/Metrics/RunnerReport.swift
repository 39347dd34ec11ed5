import FunctionKit
import System

/// What the runner is doing, as `GET /_/state` tells it.
struct RunnerReport: Decodable {
  /// Whether nothing waits or runs, and nothing is due that has not been looked at.
  var isIdle: Bool
  /// The lanes of the queue that this runner holds.
  var lanes: [Int]
  /// How many events were found that had been passed by.
  var overtaken: Int
  /// The ids of events that nobody seems to have in hand; the next look tells.
  var suspects: [String]
  var functions: [Function]

  private enum CodingKeys: String, CodingKey {
    case isIdle = "idle"
    case lanes, overtaken, suspects, functions
  }

  struct Function: Decodable {
    var name: String
    /// Why its events wait, where they do until it is mended.
    var paused: EventReport.Pause?
    var processes: Int
    /// Events that a process has been given.
    var running: Int
    /// Events that were read and have not been started.
    var waiting: Int
    /// The ids of the queue's events that run.
    var events: [String]
  }
}

/// What the queue's engine tells of itself.
struct EventReport {
  struct Pause: Decodable, Equatable {
    var code: String
    var message: String
  }

  /// Whether nothing is in memory or wanted, and the schedules have been looked at since the clock was last changed.
  var isIdle = true
  var lanes: [Int] = []
  var overtaken = 0
  var suspects: [String] = []
  var paused: [String: Pause] = [:]
  /// Events that were read and have not been given to a pool, by function.
  var waiting: [String: Int] = [:]
}

extension RunnerReport {
  @RunnerLoop
  init(_ pools: [String: FunctionPool], _ events: EventReport) {
    isIdle = events.isIdle && pools.values.allSatisfy { $0.load == 0 }
    (lanes, overtaken, suspects) = (events.lanes, events.overtaken, events.suspects)
    functions = pools.sorted { $0.key < $1.key }.map { name, pool in
      Function(
        name: name, paused: events.paused[name], processes: pool.processes, running: pool.load - pool.waiting,
        waiting: pool.waiting + (events.waiting[name] ?? 0), events: pool.handled)
    }
  }

  var json: RawJSON {
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
