import Manifest
package import System

extension FunctionPool {
  /// Events that no process has got yet.
  package var waiting: Int { jobs.count }

  /// Events that wait or run.
  package var load: Int {
    waiting + workers.reduce(0) { $0 + $1.load } + runs.count + away.values.reduce(0) { $0 + $1.count }
  }

  /// Processes, those that are about to end included.
  package var processes: Int { workers.count + runs.count }

  /// The ids of these processes.
  package var processIDs: [ProcessID] { workers.map(\.processID) + runs.values.map(\.processID) }

  /// The most events at once of which none waits in the pool for a process.
  package var capacity: Int {
    if let target { return target.outage == nil ? entry.concurrency * (entry.batch ?? 1) : 1 }
    return switch entry.mode {
    case .warm: entry.concurrency * (entry.batch ?? WarmWorker.window) + jobs.countAside
    case .oneshot: entry.concurrency
    case .discard: Self.mostDiscarded
    }
  }

  /// The ids of the events that processes work on now, or that are on their way elsewhere.
  package var handled: [String] {
    workers.flatMap(\.handled) + runs.values.map(\.id) + away.values.joined().map(\.id)
  }

  /// The ids of events that were in a batch whose process ended, and that wait to run alone.
  package var interrupted: [String] { jobs.suspects.map(\.id) }
}

// What the slots that are shared ask.
extension FunctionPool {
  /// Whether events wait for a process that may be started.
  var wantsProcess: Bool { waiting > jobs.countAside && processes < entry.concurrency }

  /// The process that has had nothing to do for the longest time.
  var longestIdle: WarmWorker? {
    workers.lazy.filter { !$0.isLeaving && $0.load == 0 }.min { $0.idleSince < $1.idleSince }
  }

  /// The warm process that will be done first.
  var leastBusy: WarmWorker? { workers.lazy.filter { !$0.isLeaving }.min { $0.load < $1.load } }

  /// Warm processes that go on, those that end when their queue is done, and those that have one event only.
  var staying: Int { workers.count { !$0.isLeaving } }
  var leaving: Int { workers.count { $0.isLeaving && !$0.isAlone } }
  var alone: Int { workers.count { $0.isAlone } }
}
