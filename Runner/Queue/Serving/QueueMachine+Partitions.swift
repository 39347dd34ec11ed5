extension QueueMachine {
  /// The failed events that hold keys of these functions, in these partitions.
  struct BlockerRequest {
    var functions: [String]
    var partitions: [Int]
  }

  /// Begins with partitions that are new, gives up those that are lost.
  ///
  /// - Parameter start: when the database was asked.
  /// - Returns: the functions with events that may start again, because it is certain again that they are this runner's.
  @discardableResult
  mutating func take(_ holding: EventStore.Holding, since start: Instant) -> [String] {
    let wasTrusted = lease.isTrusted(at: start)
    let (new, lost) = lease.take(holding, since: start)
    if !new.isEmpty { effects.append(.say(.taken(new.count, held: lease.held.count))) }
    lose(lost)
    for partition in new { cursors[partition] = PartitionCursor() }
    if !new.isEmpty { due.insert(.blockers) }
    return wasTrusted ? [] : functions.keys.sorted()
  }

  /// Another runner has the partitions now and reads everything again: what still runs of them here settles nothing.
  private mutating func lose(_ lost: Set<Int>) {
    guard !lost.isEmpty else { return }
    effects.append(.say(.lost(lost.count)))
    forget(lost)
    for partition in lost { inFlight[partition] = [] }
    ended.removeAll { lost.contains($0.place.partition) }
    retrying = retrying.filter { !lost.contains($0.partition) }
  }

  /// Reads everything again, except what runs: the session was lost, and maybe the server has crashed.
  ///
  /// A crash takes back what was settled and not yet on disk, and lets ids be drawn again that had been seen.
  mutating func startOver(_ now: Instant) {
    forget(Set(lease.held.keys))
    for partition in lease.readable { cursors[partition] = PartitionCursor() }
    asked?.isVoid = true
    gate.failed(now: now)
    due.insert(.blockers)
    // Nothing is read before it is known which failed events hold keys.
    if [.audit, .poll].contains(stage) { stage = .blockers }
    wakeUp()
  }

  private mutating func forget(_ gone: Set<Int>) {
    order.forget(gone)
    returned = returned.filter { !gone.contains($0.partition) }
    for partition in gone { cursors[partition] = nil }
    for function in queues.keys {
      for event in queues[function]?.forget(partitions: gone) ?? [] { retrying.remove(event.place) }
    }
  }

  /// Partitions beyond this runner's share, where nothing runs or waits to be settled.
  mutating func releasable() -> Set<Int>? {
    guard !lease.leaving.isEmpty else { return nil }
    forget(lease.leaving)
    let unsettled = Set(self.unsettled.map(\.place.partition))
    let free = lease.leaving.filter { inFlight[$0].isEmpty && !unsettled.contains($0) }
    return free.isEmpty ? nil : free
  }

  mutating func released(_ partitions: Set<Int>) {
    lease.released(partitions)
    effects.append(.say(.released(partitions.count, held: lease.held.count)))
  }

  /// Asks which keys are held by failed events: at the start, before anything is read of a partition, and when dead
  /// letters were retried or purged.
  mutating func blockerRequest() -> BlockerRequest? {
    guard due.contains(.blockers), !lease.held.isEmpty else { return nil }
    due.remove(.blockers)
    let blocking = queues.filter(\.value.blocks).map(\.key)
    return blocking.isEmpty ? nil : BlockerRequest(functions: blocking, partitions: lease.held.keys.sorted())
  }

  /// Learns which keys are held: by failed events in the tables, and by those whose failure is not there yet.
  ///
  /// - Returns: the functions with events that may start.
  mutating func take(_ found: [EventStore.Blocker], of request: BlockerRequest) -> [String] {
    let unsettled = self.unsettled
    var released: [Int: Set<Int64>] = [:]
    for attempt in unsettled where attempt.isDone {
      released[attempt.place.partition, default: []].insert(attempt.place.id)
    }
    var holding = found.filter { released[$0.partition]?.contains($0.id) != true }
    for attempt in unsettled where !attempt.isDone {
      guard let key = attempt.key else { continue }
      let place = attempt.place
      holding.append(.init(function: attempt.function, key: key, partition: place.partition, id: place.id))
    }
    for function in request.functions {
      var keys: [String: (partition: Int, ids: Set<Int64>)] = [:]
      for blocker in holding where blocker.function == function {
        keys[blocker.key, default: (blocker.partition, [])].ids.insert(blocker.id)
      }
      queues[function]?.hold(keys, partitions: Set(request.partitions))
    }
    return request.functions
  }

  /// Events that have ended and whose end is not in the tables yet.
  var unsettled: [EndedAttempt] { ended + (asked?.request.ended ?? []) }
}
