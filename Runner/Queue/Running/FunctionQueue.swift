/// The events of one function that were read and have not ended: in order for each key, side by side across keys.
///
/// Only the beginning of a long queue is in memory; of the rest only the ids are known. So a function that is slow, or
/// a key that is held, stops nobody else.
struct FunctionQueue {
  /// The most events in memory, and their most bytes; further ones stay in the database.
  static let most = 10_000
  var most = FunctionQueue.most
  var mostBytes = 16 << 20

  /// How many events of one key may run together: they are for one process, which gets them in their order.
  var together = 1
  /// The most events of one key in memory, enough to hand over at once; further ones stay in the database.
  var mostOfKey: Int { max(32, 4 * together) }

  /// Whether a failed event holds its key.
  var blocks = false
  /// Whether a misconfigured function's events wait until it has been mended.
  var isPaused = false
  /// Whether anything can run them at all.
  var isKnown = true
  private var ready: [QueuedEvent] = []
  private var head = 0
  private var keys: [String: KeyQueue] = [:]
  /// Keys with a backlog in the database.
  private var keysWithBacklog: Set<String> = []
  /// The events that are left to the database, by partition.
  private(set) var backlog: [Int: Backlog] = [:]
  private(set) var running = 0
  /// How many were started in all.
  private var starts = 0
  /// How many are in memory and have not ended.
  private(set) var count = 0
  private var bytes = 0

  /// Whether there is no room for more.
  var isFull: Bool { !isKnown || count >= most || bytes >= mostBytes }

  /// Whether so little is in memory that more should be read.
  var isHungry: Bool { isKnown && count < most / 2 && bytes < mostBytes / 2 }

  /// Whether nothing runs, and nothing that is known could: what a held key holds does not count.
  var isIdle: Bool {
    let isDone =
      head == ready.count && backlog.isEmpty && !keysWithBacklog.contains { keys[$0]?.isHungry(together) == true }
    return running == 0 && (isPaused || !isKnown || isDone)
  }

  /// Takes an event that was read in the order of its partition, or leaves it to the database while there is no room.
  ///
  /// - Parameter isLate: whether its id is lower than others of its partition that have been read.
  /// - Returns: whether it was taken.
  @discardableResult
  mutating func arrive(_ event: QueuedEvent, isLate: Bool) -> Bool {
    if leaves(event.place) { return false }
    guard !isFull || isLate else {
      skip(event.place)
      return false
    }
    return load(event, isLate: isLate)
  }

  /// Takes note of an event whose body was not read.
  mutating func skip(_ place: QueuedEvent.Place) {
    if leaves(place) { return }
    backlog[place.partition] = Backlog(after: place.id - 1, through: place.id)
  }

  /// Takes an event of the backlog, or one that is tried again; says whether it was taken.
  @discardableResult
  mutating func load(_ event: QueuedEvent, isLate: Bool = false) -> Bool {
    guard let name = event.key else {
      admit(event)
      return true
    }
    var key = keys[name] ?? KeyQueue(partition: event.place.partition)
    let isTaken = key.take(event, isLate: isLate, most: mostOfKey)
    if isTaken {
      (count, bytes) = (count + 1, bytes + event.line.count)
      promote(&key)
    }
    keep(key, name)
    return isTaken
  }

  /// Everything of the key up to that id has been read now; `false` where nothing of the key is known any more.
  mutating func read(key name: String, through id: Int64) -> Bool {
    guard var key = keys[name] else { return false }
    key.read(through: id)
    keep(key, name)
    return true
  }

  /// Everything of the partition up to that id has been read now.
  mutating func read(partition: Int, through id: Int64) {
    backlog[partition]?.after = id
    if backlog[partition]?.isEmpty == true { backlog[partition] = nil }
  }

  /// Keys whose events must be read before they can go on.
  func hungryKeys(_ most: Int) -> [(key: String, partition: Int, backlog: Backlog)] {
    guard !isFull else { return [] }
    var hungry: [(String, Int, Backlog)] = []
    for name in keysWithBacklog {
      guard let key = keys[name], key.isHungry(together), let backlog = key.backlog else { continue }
      hungry.append((name, key.partition, backlog))
      if hungry.count == most { break }
    }
    return hungry
  }

  /// The next event that may start while fewer than `limit` run.
  mutating func next(limit: Int) -> QueuedEvent? {
    guard !isPaused, running < limit, head < ready.count else { return nil }
    var event = ready[head]
    head += 1
    starts += 1
    event.startNumber = starts
    if head == ready.count {
      ready.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1_024, head * 2 > ready.count {
      ready.removeFirst(head)
      head = 0
    }
    running += 1
    return event
  }

  /// Takes note that an event has ended: the next of its key may start, unless it holds the key.
  ///
  /// - Parameter isForeign: whether its partition has been another runner's since it started.
  mutating func ended(_ event: QueuedEvent, holds: Bool = false, isForeign: Bool = false) {
    (running, count, bytes) = (running - 1, count - 1, bytes - event.line.count)
    guard let name = event.key, var key = keys[name] else { return }
    key.busy -= 1
    if holds, blocks, !isForeign {
      key.blockers.insert(event.place.id)
      drop(key.park())
    } else if !isForeign {
      key.blockers.remove(event.place.id)
    }
    promote(&key)
    keep(key, name)
  }

  /// Puts an event back to the front, as if it had not been started; several stand there in the order of their starts.
  mutating func putBack(_ event: QueuedEvent) {
    running -= 1
    let index = ready[head...].firstIndex { $0.startNumber == 0 || $0.startNumber > event.startNumber }
    ready.insert(event, at: index ?? ready.endIndex)
  }

  /// Puts what was read of an event in place of what stands in line of it; says whether it is the same key's.
  mutating func replace(_ event: QueuedEvent) -> Bool {
    guard let index = ready[head...].firstIndex(where: { $0.place == event.place }), ready[index].key == event.key
    else { return false }
    bytes += event.line.count - ready[index].line.count
    let number = ready[index].startNumber
    ready[index] = event
    ready[index].startNumber = number
    return true
  }

  /// Sets which failed events hold their keys, of the partitions given.
  mutating func hold(_ blockers: [String: (partition: Int, ids: Set<Int64>)], partitions: Set<Int>) {
    for (name, held) in blockers where keys[name] == nil { keys[name] = KeyQueue(partition: held.partition) }
    for (name, var key) in keys where partitions.contains(key.partition) {
      let ids = blocks ? blockers[name]?.ids ?? [] : []
      guard key.blockers != ids else { continue }
      key.blockers = ids
      promote(&key)
      keep(key, name)
    }
  }

  /// Forgets what has not started of these partitions, and returns it; what runs still holds its key.
  ///
  /// It also forgets which failed events hold keys: that is asked again before anything more is read.
  mutating func forget(partitions: Set<Int>) -> [QueuedEvent] {
    var gone = Array(ready[head...].filter { partitions.contains($0.place.partition) })
    ready = ready[head...].filter { !partitions.contains($0.place.partition) }
    head = 0
    for name in gone.compactMap(\.key) { keys[name]?.busy -= 1 }
    for (name, key) in keys where partitions.contains(key.partition) {
      gone += key.behind
      var running = KeyQueue(partition: key.partition)
      running.busy = key.busy
      keep(running, name)
    }
    for partition in partitions { backlog[partition] = nil }
    drop(gone)
    return gone
  }

  /// The places of the events in memory that have not been started.
  var places: [QueuedEvent.Place] { ready[head...].map(\.place) + keys.values.flatMap { $0.behind.map(\.place) } }

  /// Whether the event was left to the database, to be read when there is room or its key is free.
  func leaves(_ place: QueuedEvent.Place, key name: String?) -> Bool {
    let backlogs = [backlog[place.partition], name.flatMap { keys[$0]?.backlog }]
    return backlogs.contains { $0.map { place.id > $0.after && place.id <= $0.through } ?? false }
  }

  private mutating func leaves(_ place: QueuedEvent.Place) -> Bool {
    guard let left = backlog[place.partition], place.id > left.after else { return false }
    backlog[place.partition]?.through = max(left.through, place.id)
    return true
  }

  private mutating func admit(_ event: QueuedEvent) {
    (count, bytes) = (count + 1, bytes + event.line.count)
    ready.append(event)
  }

  private mutating func keep(_ key: KeyQueue, _ name: String) {
    keys[name] = key.isEmpty ? nil : key
    if key.backlog != nil {
      keysWithBacklog.insert(name)
    } else if !keysWithBacklog.isEmpty {
      keysWithBacklog.remove(name)
    }
  }

  private mutating func promote(_ key: inout KeyQueue) {
    while let event = key.next(together) { ready.append(event) }
  }

  private mutating func drop(_ events: [QueuedEvent]) {
    count -= events.count
    bytes -= events.reduce(0) { $0 + $1.line.count }
  }
}

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

/// Ids of one partition that were seen, and whose events were left in the database because there was no room for them.
struct Backlog: Equatable, Sendable {
  /// Everything up to this id is in memory or has ended.
  var after: Int64
  /// The highest one that was left.
  var through: Int64

  /// Whether nothing is left.
  var isEmpty: Bool { through <= after }
}
