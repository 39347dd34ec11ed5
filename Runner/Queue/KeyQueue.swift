/// The events of one key of one function: one runs, the others wait behind it.
struct KeyQueue {
  /// More than these stay in the database until they are nearer to their start.
  static let most = 32

  /// The partition of all events of the key.
  let partition: Int
  /// Whether one of its events runs or may start.
  var isBusy = false
  private(set) var behind: [QueuedEvent] = []
  /// Events that failed and hold the key until they succeed or are retried or purged, by their ids.
  var blockers: Set<Int64> = []
  private(set) var backlog: Backlog?

  var isEmpty: Bool { !isBusy && behind.isEmpty && blockers.isEmpty && backlog == nil }

  /// Whether events can be taken from the database: some are there, and those in memory have been started.
  var isHungry: Bool { backlog != nil && behind.isEmpty && blockers.isEmpty }

  /// Takes an event that has to wait, or leaves it in the database; says whether it was taken.
  ///
  /// - Parameter isLate: whether its id is lower than others that have been read.
  mutating func take(_ event: QueuedEvent, isLate: Bool) -> Bool {
    if leaves(event.place) { return false }
    // The backlog must not reach over events that are in memory: only the newest can begin one.
    if event.place.table == .events, !isLate, behind.count >= Self.most || !blockers.isEmpty {
      backlog = Backlog(after: event.place.id - 1, through: event.place.id)
      return false
    }
    behind.append(event)
    return true
  }

  /// Whether the event is among those that stay in the database for now.
  mutating func leaves(_ place: QueuedEvent.Place) -> Bool {
    guard let left = backlog, place.table == .events, place.id > left.after else { return false }
    backlog?.through = max(left.through, place.id)
    return true
  }

  /// The next event that may start.
  mutating func next() -> QueuedEvent? {
    guard !isBusy else { return nil }
    let index = behind.firstIndex { blockers.isEmpty || blockers.contains($0.place.id) }
    guard let index else { return nil }
    isBusy = true
    return behind.remove(at: index)
  }

  /// Leaves what stands behind a blocker to the database, so that blocked keys need no memory; returns what was left.
  mutating func park() -> [QueuedEvent] {
    let left = behind.filter { $0.place.table == .events }
    guard let first = left.map(\.place.id).min(), let last = left.map(\.place.id).max() else { return [] }
    backlog = Backlog(after: first - 1, through: max(last, backlog?.through ?? 0))
    behind.removeAll { $0.place.table == .events }
    return left
  }

  /// Everything up to that id has been read now.
  mutating func read(through id: Int64) {
    backlog?.after = id
    if backlog?.isEmpty == true { backlog = nil }
  }
}
