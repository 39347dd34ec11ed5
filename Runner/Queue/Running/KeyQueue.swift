/// The events of one key of one function: one runs, or as many as may be handed over together, and the others wait behind.
struct KeyQueue {
  /// The partition of all events of the key.
  let partition: Int
  /// How many of its events run or may start.
  var busy = 0
  private(set) var behind: [QueuedEvent] = []
  /// Events that failed and hold the key until they succeed or are retried or purged, by their ids.
  var blockers: Set<Int64> = []
  private(set) var backlog: Backlog?

  var isEmpty: Bool { busy == 0 && behind.isEmpty && blockers.isEmpty && backlog == nil }

  /// Whether events should be taken from the database: some are there, and few in memory have not been started.
  ///
  /// - Parameter together: how many of its events may run together.
  func isHungry(_ together: Int) -> Bool {
    backlog != nil && behind.count < 2 * together - 1 && blockers.isEmpty
  }

  /// Takes an event that has to wait, or leaves it in the database; says whether it was taken.
  ///
  /// - Parameters:
  ///   - isLate: whether its id is lower than others that have been read.
  ///   - most: more than these stay in the database until they are nearer to their start.
  mutating func take(_ event: QueuedEvent, isLate: Bool, most: Int) -> Bool {
    if leaves(event.place) { return false }
    // The backlog must not reach over events that are in memory: only the newest can begin one.
    if event.place.table == .events, !isLate, behind.count >= most || !blockers.isEmpty {
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

  /// The next event that may start while fewer than `together` run.
  mutating func next(_ together: Int) -> QueuedEvent? {
    guard busy < together else { return nil }
    let index = behind.firstIndex { blockers.isEmpty || blockers.contains($0.place.id) }
    guard let index else { return nil }
    busy += 1
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
