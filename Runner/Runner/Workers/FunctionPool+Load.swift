extension FunctionPool {
  /// Events that no process has got yet.
  var waiting: Int { queue.count + alone.count }

  /// Events that wait or run.
  var load: Int { waiting + workers.reduce(0) { $0 + $1.load } + runs.count }

  /// Processes, those that are about to end included.
  var processes: Int { workers.count + runs.count }

  /// How many events can be on their way at once without any waiting in the pool.
  var capacity: Int {
    switch entry.mode {
    case .warm: entry.concurrency * WarmWorker.window
    case .oneshot: entry.concurrency
    case .discard: Self.mostDiscarded
    }
  }

  /// The ids of the events that processes work on now.
  var handled: [String] { workers.compactMap(\.handled) + runs.values.map(\.id) }
}
