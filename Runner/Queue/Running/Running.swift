import Manifest

/// The events in memory, in line for their functions, and which of them run.
///
/// Pure: it is told what was read and what has ended, and says what may start.
struct Running {
  /// The runner's functions.
  private var functions: [String: FunctionEntry] = [:]
  private(set) var queues: [String: FunctionQueue] = [:]
  /// The ids of each partition's events that run.
  private var inFlight = [Set<Int64>](repeating: [], count: 256)
  /// Failed events that were read and have not been settled again.
  private(set) var retrying: Set<QueuedEvent.Place> = []
  /// Events that were put back into line and are read once more, because they ran while everything was read again.
  private var returned: Set<QueuedEvent.Place> = []
  /// Functions that have events and that nobody can run; each is named once.
  private var missing: Set<String> = []

  /// The most events of each function in memory, which only tests change; further ones stay in the database.
  var most = FunctionQueue.most {
    didSet { for function in queues.keys { queues[function]?.most = most } }
  }

  init(_ functions: [String: FunctionEntry]) { use(functions) }

  /// How many run.
  var count: Int { queues.values.reduce(0) { $0 + $1.running } }

  /// Whether nothing runs, and nothing that is known could.
  var isIdle: Bool { queues.values.allSatisfy(\.isIdle) }

  /// Whether any event waits in memory.
  var hasWaiting: Bool { queues.values.contains { $0.count > $0.running } }

  /// Whether an event of the partition runs.
  func isBusy(_ partition: Int) -> Bool { !inFlight[partition].isEmpty }

  /// Whether an event runs, or has ended and is not settled: after a loss of the session it is read again.
  func isInHand(_ place: QueuedEvent.Place, or unsettled: Set<QueuedEvent.Place>) -> Bool {
    inFlight[place.partition].contains(place.id) || unsettled.contains(place)
  }

  /// The places of the events in memory that have not been started.
  var places: Set<QueuedEvent.Place> { Set(queues.values.flatMap(\.places)) }

  /// Whether the event was left to the database, to be read when there is room or its key is free.
  func leaves(_ place: QueuedEvent.Place, of function: String, key: String?) -> Bool {
    queues[function]?.leaves(place, key: key) == true
  }
}

// The functions.
extension Running {
  /// Their names, sorted.
  var names: [String] { functions.keys.sorted() }

  func entry(_ function: String) -> FunctionEntry? { functions[function] }

  func knows(_ function: String) -> Bool { functions[function] != nil }

  /// The functions whose failed events hold their keys.
  var blocking: [String] { queues.filter(\.value.blocks).map(\.key) }

  /// Goes on with other functions, or the same ones in another way; what waits for one that is gone keeps waiting.
  mutating func use(_ functions: [String: FunctionEntry]) {
    (self.functions, missing) = (functions, [])
    for function in Set(queues.keys).union(functions.keys) { follow(function) }
  }

  private mutating func follow(_ function: String) {
    queues[function, default: FunctionQueue()].isKnown = functions[function] != nil
    queues[function]?.most = most
    queues[function]?.together = functions[function]?.eventsOfKey ?? 1
    queues[function]?.blocks = functions[function]?.onFailure == .block
    // Keys that were held before go on; those of a function that is gone wait for its return.
    if functions[function]?.onFailure == .continue {
      queues[function]?.hold([:], partitions: Set(inFlight.indices))
    }
  }

  /// Says nothing of events of functions that are about to come.
  mutating func expect(_ functions: [String]) { missing.formUnion(functions) }

  /// Takes note that nobody can run a function; says whether this is new.
  mutating func misses(_ function: String) -> Bool { missing.insert(function).inserted }

  /// Lets a function's events wait, or start again.
  mutating func pause(_ function: String, _ isPaused: Bool) { queues[function]?.isPaused = isPaused }

  /// Takes which failed events hold keys of these functions, in these partitions.
  mutating func hold(_ blockers: [EventStore.Blocker], of functions: [String], partitions: Set<Int>) {
    for function in functions {
      var keys: [String: (partition: Int, ids: Set<Int64>)] = [:]
      for blocker in blockers where blocker.function == function {
        keys[blocker.key, default: (blocker.partition, [])].ids.insert(blocker.id)
      }
      queues[function]?.hold(keys, partitions: partitions)
    }
  }
}

// What was read.
extension Running {
  /// Takes an event that was read in the order of its partition; says whether it stands in line now.
  mutating func arrive(_ event: QueuedEvent, isLate: Bool) -> Bool {
    queues[event.function]?.arrive(event, isLate: isLate) == true
  }

  /// Takes note of an event whose body was not read.
  mutating func skip(_ place: QueuedEvent.Place, of function: String) { queues[function]?.skip(place) }

  /// Takes an event of the backlog; says whether it stands in line now.
  mutating func load(_ event: QueuedEvent, isLate: Bool) -> Bool {
    queues[event.function]?.load(event, isLate: isLate) == true
  }

  /// Everything of the partition up to that id has been read now.
  mutating func read(_ function: String, partition: Int, through id: Int64) {
    queues[function]?.read(partition: partition, through: id)
  }

  /// Everything of the key up to that id has been read now; `false` where nothing of the key is known any more.
  mutating func read(_ function: String, key: String, through id: Int64) -> Bool {
    queues[function]?.read(key: key, through: id) == true
  }

  /// Takes a failed event that is tried again; `false` where it was taken before and is not settled.
  mutating func retry(_ event: QueuedEvent) -> Bool {
    guard !inFlight[event.place.partition].contains(event.place.id), retrying.insert(event.place).inserted
    else { return false }
    queues[event.function]?.load(event)
    return true
  }

  /// Whether an event stands in line already: it ran while everything was read again, and was put back.
  func isReturned(_ place: QueuedEvent.Place) -> Bool { !returned.isEmpty && returned.contains(place) }

  /// Puts what was read of such an event in its place; says whether it is the same key's.
  mutating func replace(_ event: QueuedEvent) -> Bool {
    guard queues[event.function]?.replace(event) == true else { return false }
    returned.remove(event.place)
    return true
  }

  /// Forgets what has not started of these partitions: it is read again, or by another runner.
  mutating func forget(_ gone: Set<Int>) {
    returned = returned.filter { !gone.contains($0.partition) }
    for function in queues.keys {
      for event in queues[function]?.forget(partitions: gone) ?? [] { retrying.remove(event.place) }
    }
  }

  /// Leaves the running events of these partitions to another runner.
  mutating func lose(_ lost: Set<Int>) {
    forget(lost)
    for partition in lost { inFlight[partition] = [] }
    retrying = retrying.filter { !lost.contains($0.partition) }
  }
}

// What starts and ends.
extension Running {
  /// The next event of a function, which runs from now on, while fewer than `limit` do.
  mutating func next(_ function: String, limit: Int) -> QueuedEvent? {
    guard let event = queues[function]?.next(limit: limit) else { return nil }
    inFlight[event.place.partition].insert(event.place.id)
    if !returned.isEmpty { returned.remove(event.place) }
    return event
  }

  /// An event has ended; the next of its key may start, unless it holds the key.
  ///
  /// - Parameter isForeign: whether its partition has been another runner's since it started.
  mutating func end(_ event: QueuedEvent, holds: Bool, isForeign: Bool) {
    queues[event.function]?.ended(event, holds: holds, isForeign: isForeign)
    if !isForeign { inFlight[event.place.partition].remove(event.place.id) }
  }

  /// Puts an event back into line and pauses its function; says whether that is new.
  ///
  /// - Parameter isReadAgain: whether a later poll brings the event once more.
  mutating func putBack(_ event: QueuedEvent, isReadAgain: Bool) -> Bool {
    inFlight[event.place.partition].remove(event.place.id)
    queues[event.function]?.putBack(event)
    if isReadAgain { returned.insert(event.place) }
    guard queues[event.function]?.isPaused == false else { return false }
    queues[event.function]?.isPaused = true
    return true
  }

  /// The end of an event that was tried again is in the tables: if it has failed, it may be read once more.
  mutating func settled(_ place: QueuedEvent.Place) { retrying.remove(place) }
}
