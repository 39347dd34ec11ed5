extension QueueMachine {
  /// A poll was carried out, and what it settled is settled; `false` where nothing of its answer is to be taken.
  mutating func polled(in session: Int) -> Bool {
    guard let asked else { return false }
    (self.asked, self.session) = (nil, session)
    pollsAhead = asked.isAhead ? pollsAhead + 1 : 0
    settled += asked.request.ended.count
    for attempt in asked.request.ended {
      if attempt.place.table == .retries { retrying.remove(attempt.place) }
      // A server that came back from an older state may not have the event: then its failure holds no key.
      if !attempt.isDone, attempt.session != asked.request.session { due.insert(.blockers) }
    }
    stage = .rest(isBusy: true)
    guard !asked.isVoid, !asked.request.cursors.isEmpty else { return false }
    taking = (asked.request, isMoved: false)
    return true
  }

  /// Takes what a poll has read into the functions' queues.
  ///
  /// - Returns: the functions with events that may start.
  mutating func take(_ answer: PollAnswer, now: Instant) -> Set<String> {
    guard let (request, isMoved) = taking else { return [] }
    taking = nil
    note(answer, request, now)
    guard lease.isTrusted(at: now) else {
      // The process has been asleep. What the cursors have passed by already must not be forgotten with the answer.
      if isMoved { startOver(now) }
      stage = .rest(isBusy: !request.ended.isEmpty)
      return []
    }
    let unsettled = Set(self.unsettled.map(\.place))
    var answer = answer
    let ends = cut(&answer, request)
    if !isMoved, request.readsNew { move(answer, ends, request, unsettled) }
    order.follow(request.cursors.withHoles.union(cursors.withHoles))
    var (functions, unknown): (Set<String>, Set<String>) = ([], [])
    for new in answer.newEvents where lease.stillReads(new.place.partition, under: request.lease) {
      takeNew(new, xmin: answer.snapshot.xmin, unsettled, &functions, &unknown)
    }
    takeBacklog(answer, ends, request, unsettled, &functions)
    takeRetries(answer, request, &functions)
    for function in unknown where !lease.elsewhere.contains(function) && missing.insert(function).inserted {
      effects.append(.say(.unknownFunction(function)))
    }
    stage = .rest(isBusy: !functions.isEmpty || !unknown.isEmpty || !request.ended.isEmpty)
    return functions
  }

  private mutating func note(_ answer: PollAnswer, _ request: PollRequest, _ now: Instant) {
    if !request.retried.isEmpty { nextRetry = answer.nextRetry }
    lastCount = answer.newEvents.count
    hasMore = !request.backlog.isEmpty || lastCount >= EventStore.batch
    guard request.readsNew else { return }
    gate.saw(
      events: lastCount, taken: answer.locked, own: answer.snapshot.own, xmin: answer.snapshot.xmin,
      isNotified: answer.snapshot.isNotified, now: now)
  }

  private mutating func takeNew(
    _ new: NewEvent, xmin: Int64, _ unsettled: Set<QueuedEvent.Place>, _ functions: inout Set<String>,
    _ unknown: inout Set<String>
  ) {
    guard !isInHand(new.place, unsettled) else {
      // A server that came back from an older state may have given its id to another one: it is read again.
      cursors[new.place.partition]?.miss(new.place.id)
      asked?.isVoid = true
      return
    }
    guard returned.isEmpty || !returned.contains(new.place) else { return takeReturned(new) }
    guard self.functions[new.function] != nil else {
      unknown.insert(new.function)
      return
    }
    if let event = new.event {
      if queues[new.function]?.arrive(event, isLate: new.isLate) == true { took(event, of: new.writer, xmin: xmin) }
    } else if !new.isLate {
      queues[new.function]?.skip(new.place)
    }
    functions.insert(new.function)
  }

  /// Takes an event that stands in line already: it ran while everything was read again, and was put back.
  private mutating func takeReturned(_ new: NewEvent) {
    if let event = new.event, queues[new.function]?.replace(event) == true {
      returned.remove(new.place)
    } else {
      cursors[new.place.partition]?.miss(new.place.id)
    }
  }

  private mutating func takeBacklog(
    _ answer: PollAnswer, _ ends: [Int: Int64], _ request: PollRequest, _ unsettled: Set<QueuedEvent.Place>,
    _ functions: inout Set<String>
  ) {
    for (asked, read) in zip(request.backlog, answer.backlog)
    where ends[asked.partition] == nil && lease.stillReads(asked.partition, under: request.lease) {
      let events = read.events.filter { canLoad($0.place, unsettled) }
      if let key = asked.key {
        guard queues[asked.function]?.read(key: key, through: read.through) == true else { continue }
      } else {
        queues[asked.function]?.read(partition: asked.partition, through: read.through)
      }
      for event in events {
        let isTaken = queues[asked.function]?.load(event, isLate: asked.key != nil)
        if isTaken == true { took(event, xmin: answer.snapshot.xmin) }
      }
      functions.insert(asked.function)
    }
  }

  /// An event was taken into line.
  private mutating func took(_ event: QueuedEvent, of writer: Int64? = nil, xmin: Int64) {
    guard let newer = order.took(event, writtenBy: writer, xmin: xmin) else { return }
    effects.append(.say(.outOfOrder(event, newer: newer)))
  }

  private mutating func takeRetries(
    _ answer: PollAnswer, _ request: PollRequest, _ functions: inout Set<String>
  ) {
    for event in answer.retries
    where lease.stillReads(event.place.partition, under: request.lease)
      && !inFlight[event.place.partition].contains(event.place.id) && retrying.insert(event.place).inserted
    {
      queues[event.function]?.load(event)
      functions.insert(event.function)
    }
  }

  /// Whether an event runs, or has ended and is not settled: after a loss of the session it is read again.
  private func isInHand(_ place: QueuedEvent.Place, _ unsettled: Set<QueuedEvent.Place>) -> Bool {
    inFlight[place.partition].contains(place.id) || unsettled.contains(place)
  }

  /// Whether an event of the backlog can be taken; else its partition's cursor brings it.
  private mutating func canLoad(_ place: QueuedEvent.Place, _ unsettled: Set<QueuedEvent.Place>) -> Bool {
    guard cursors[place.partition]?.brings(place.id) == false else { return false }
    guard isInHand(place, unsettled) else { return true }
    cursors[place.partition]?.miss(place.id)
    return false
  }
}

// How the cursors move.
extension QueueMachine {
  /// Leaves out what stands above the end of a reading that has left the rest of a hole: that comes first.
  ///
  /// - Returns: these ends, by partition.
  private mutating func cut(_ answer: inout PollAnswer, _ request: PollRequest) -> [Int: Int64] {
    let late = Dictionary(grouping: answer.newEvents.prefix { $0.isLate }.map(\.place), by: \.partition)
    var ends: [Int: Int64] = [:]
    for (partition, places) in late {
      ends[partition] = request.cursors[partition]?.end(ofReading: places.map(\.id), most: EventStore.batch)
    }
    guard !ends.isEmpty else { return [:] }
    answer.newEvents.removeAll { new in ends[new.place.partition].map { new.place.id > $0 } ?? false }
    due.insert(.poll)
    return ends
  }

  /// Moves the cursors over what was read.
  private mutating func move(
    _ answer: PollAnswer, _ ends: [Int: Int64], _ request: PollRequest, _ unsettled: Set<QueuedEvent.Place>
  ) {
    let unread = unread(ends, request)
    var seen: [Int: [Int64]] = [:]
    var left = unread
    var isAnyTaken = false
    for new in answer.newEvents {
      let (partition, id) = (new.place.partition, new.place.id)
      let isInHand = isInHand(new.place, unsettled)
      isAnyTaken = isAnyTaken || new.isLate && !isInHand
      guard new.isLate, isInHand || new.event == nil && functions[new.function] != nil else {
        seen[partition, default: []].append(id)
        continue
      }
      if unread[partition]?.contains(where: { $0.contains(id) }) != true {
        left[partition, default: []].append(id...id)
      }
    }
    holePause = isAnyTaken ? Self.holeInterval.lowerBound : min(Self.holeInterval.upperBound, holePause * 2)
    move(seen, answer.snapshot, request, left: left, allocators: answer.openAllocators)
  }

  /// The ids in holes that were not read, by partition.
  ///
  /// These are the ids above the end of a reading. In a hole of more than a batch, they are also the ids below it: the
  /// reading leaves out the events of functions without room.
  private func unread(_ ends: [Int: Int64], _ request: PollRequest) -> [Int: [ClosedRange<Int64>]] {
    var unread = ends.mapValues { [$0 + 1...Int64.max] }
    guard !request.crowded.isEmpty else { return unread }
    for (partition, cursor) in request.cursors {
      let end = ends[partition] ?? .max
      for hole in cursor.holes where hole.exceeds(EventStore.batch) && hole.ids.lowerBound <= end {
        unread[partition, default: []].append(hole.ids.lowerBound...min(hole.ids.upperBound, end))
      }
    }
    return unread
  }

  mutating func move(
    _ ids: [Int: [Int64]], _ snapshot: PollAnswer.Snapshot, _ request: PollRequest,
    left: [Int: [ClosedRange<Int64>]] = [:], allocators: [Int: Int64]? = nil
  ) {
    for partition in request.cursors.keys where lease.stillReads(partition, under: request.lease) {
      let horizon = PartitionCursor.Horizon(
        own: snapshot.own, xmin: snapshot.xmin, oldestAllocator: allocators.map { $0[partition] ?? .max })
      let count = cursors[partition]?.holes.count ?? 0
      cursors[partition, default: PartitionCursor()]
        .saw(ids[partition] ?? [], left: left[partition] ?? [], readsHoles: request.readsHoles, horizon)
      if cursors[partition]?.holes.count != count { holePause = Self.holeInterval.lowerBound }
    }
  }
}
