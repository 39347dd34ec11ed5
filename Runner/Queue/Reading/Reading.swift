/// How far the partitions were read, and what the next poll asks of the database.
///
/// Pure: it is told what polls and looks saw.
struct Reading {
  typealias Instant = ContinuousClock.Instant

  /// When nobody wakes it, the queue is polled this often.
  ///
  /// Writers wake it as long as its session of the database holds its locks. If that session alone is lost, what they
  /// write is read this much later; at every loss of the listener's session it is read at once.
  static let interval = Duration.seconds(2)
  /// While ids are missing, they are looked for this often: at first, and when nothing has come of it for long.
  static let holeInterval = Duration.milliseconds(20)...Duration.milliseconds(500)
  /// How many held keys are looked after in one poll.
  private static let hungryKeys = 64
  /// After this many polls that only read the backlog, one looks for what is new.
  private static let mostBacklogPolls = 3
  /// After this many polls that were asked for ahead, one looks at everything.
  private static let mostPollsAhead = 8
  /// The shortest pause between two questions who can still fill holes: the answer needs all of the server's locks.
  private static let allocatorsPause = Duration.milliseconds(100)
  /// Few holes are looked into by each poll; more of them wait for ``holePrice`` each, up to this long.
  private static let (fewHoles, longestHolePause) = (64, Duration.seconds(1))

  private var cursors: [Int: PartitionCursor] = [:]
  /// The session of the database in which was read so far; `nil` before the first poll, and after a loss.
  private var session: Int?
  private var nextRetry: Double?
  private var gate: NotifyGate
  private var audit: EventAudit
  /// How many events were found that a cursor had passed by.
  private(set) var overtaken = 0
  private var order = OrderAudit()
  /// How many polls in a row have read only the backlog, and how many were asked for ahead.
  private var backlogPolls = 0
  private var pollsAhead = 0
  /// How many events the last poll read, and whether there must be more.
  private(set) var lastCount = 0
  private(set) var hasMore = false
  /// When it was last asked who can still fill holes.
  private var allocatorsAskedAt: Instant
  /// When holes were last looked into, and how long is waited until the next look.
  private var holesReadAt: Instant
  private var holePause = Reading.holeInterval.lowerBound
  /// How long the next look waits for each hole if there are many: ten times the cost of looking into one.
  private let holePrice: Duration

  init(holePrice: Duration, now: Instant) {
    self.holePrice = holePrice
    (gate, audit) = (NotifyGate(now: now), EventAudit(now: now))
    (allocatorsAskedAt, holesReadAt) = (now, now)
  }

  /// Whether few large polls cost less than many small ones.
  var isUnderLoad: Bool { gate.isAwake }

  /// Whether writers notify, and nothing is polled for until they do.
  var isAsleep: Bool { gate.poll == nil }

  /// How many events were taken after a newer one of their key, although they could be seen.
  var outOfOrder: Int { order.broken }

  /// Events that may have been passed by; the next look tells.
  var suspects: some Collection<QueuedEvent.Place> { audit.suspects.keys }

  var hasHoles: Bool { cursors.values.contains { !$0.holes.isEmpty } }

  /// The time of the next look into holes.
  private var nextHoleLook: Instant {
    let count = cursors.values.reduce(0) { $0 + $1.holes.count }
    return count <= Self.fewHoles ? holesReadAt : holesReadAt + min(holePrice * count, Self.longestHolePause)
  }

  /// How long nothing need be asked unless something wakes the queue.
  ///
  /// - Parameters:
  ///   - isActive: whether events run, or have ended and are not settled.
  ///   - isWanted: whether somebody has asked for a poll.
  func pause(isActive: Bool, isWanted: Bool, now: Instant) -> Duration {
    var next = isActive || !cursors.isEmpty ? gate.poll ?? Self.interval : Self.interval
    if hasHoles { next = min(next, max(isWanted ? .zero : holePause, nextHoleLook - now)) }
    if let nextRetry { next = min(next, .seconds(max(0.002, nextRetry))) }
    return min(next, audit.nextLook - now)
  }
}

// Where it begins, and begins again.
extension Reading {
  /// Reads partitions from the beginning.
  mutating func begin(_ partitions: some Sequence<Int>) {
    for partition in partitions { cursors[partition] = PartitionCursor() }
  }

  mutating func forget(_ gone: Set<Int>) {
    order.forget(gone)
    for partition in gone { cursors[partition] = nil }
  }

  mutating func loseSession() { session = nil }

  /// The locks of the gate are not known any more: a step has failed, or everything is read again.
  mutating func failed(_ now: Instant) { gate.failed(now: now) }
}

// What is asked.
extension Reading {
  /// The next poll, with nothing to settle; without cursors where nothing may be read.
  ///
  /// - Parameters:
  ///   - isAhead: whether it is asked for before the answer of the last one is taken in.
  ///   - isStopping: whether nothing more is read.
  mutating func request(
    for running: Running, _ lease: PartitionLease, isAhead: Bool, isStopping: Bool, now: Instant
  ) -> PollRequest {
    var request = PollRequest(lease: lease.held, session: session)
    guard !isStopping, lease.isTrusted(at: now) else { return request }
    for partition in lease.readable { request.cursors[partition] = cursors[partition, default: PartitionCursor()] }
    guard !request.cursors.isEmpty else { return request }
    // What may come late is older than what is new, and may be older than the backlog: a partition whose holes are not
    // looked into brings nothing.
    request.readsHoles = mayReadHoles(now)
    if !request.readsHoles { request.withheld = request.cursors.withHoles }
    if !lease.elsewhere.isEmpty { request.own = running.names }
    Self.add(running, to: &request)
    // A function that keeps up is given its backlog before that is made longer.
    request.readsNew = request.backlog.isEmpty || request.readsHoles || backlogPolls >= Self.mostBacklogPolls
    if request.readsHoles, now - allocatorsAskedAt >= Self.allocatorsPause {
      (request.asksForAllocators, allocatorsAskedAt) = (true, now)
    }
    backlogPolls = request.readsNew ? 0 : backlogPolls + 1
    if request.readsNew, !isAhead {
      request.gate = gate.request(partitions: request.cursors.keys.sorted(), now: now)
    }
    request.needsNumber = request.gate.needsNumber || request.cursors.values.contains(where: \.needsNumber)
    return request
  }

  /// Adds what functions have room for, and what they have not.
  private static func add(_ running: Running, to request: inout PollRequest) {
    for (function, queue) in running.queues {
      if queue.isFull || !queue.backlog.isEmpty { request.full.append(function) }
      if queue.isFull, queue.isKnown { request.crowded.append(function) }
      if queue.isKnown, !queue.isPaused, !queue.isFull { request.retried.append(function) }
      guard queue.isHungry else { continue }
      for (partition, backlog) in queue.backlog where request.brings(partition) {
        let most = max(16, queue.most / 2 / queue.backlog.count)
        request.backlog.append(
          BacklogRange(function: function, key: nil, partition: partition, backlog: backlog, most: most))
      }
      for hungry in queue.hungryKeys(hungryKeys) where request.brings(hungry.partition) {
        request.backlog.append(
          BacklogRange(
            function: function, key: hungry.key, partition: hungry.partition, backlog: hungry.backlog,
            most: queue.mostOfKey))
      }
    }
    request.retried.sort()
    request.full.sort()
    request.crowded.sort()
    request.retrying = Array(running.retrying)
  }

  /// Whether there are holes and it is time to look into them.
  private mutating func mayReadHoles(_ now: Instant) -> Bool {
    guard hasHoles, now >= nextHoleLook else { return false }
    holesReadAt = now
    return true
  }

  /// Whether the next poll may be asked for before the answer of this one is taken in.
  func mayAskAhead(of request: PollRequest, _ glance: PollReply.Glance, _ running: Running) -> Bool {
    let count = glance.ids.values.reduce(0) { $0 + $1.count }
    return count >= EventStore.batch && pollsAhead < Self.mostPollsAhead && request.backlog.isEmpty
      && request.retrying.isEmpty && request.cursors.values.allSatisfy(\.holes.isEmpty)
      && running.queues.values.allSatisfy { $0.backlog.isEmpty && $0.count + count < $0.most }
  }
}

// What was seen.
extension Reading {
  /// A poll was carried out.
  mutating func polled(in session: Int, isAhead: Bool) {
    self.session = session
    pollsAhead = isAhead ? pollsAhead + 1 : 0
  }

  /// Takes note of what a poll saw, whether its events are taken or not.
  mutating func note(_ answer: PollAnswer, to request: PollRequest, now: Instant) {
    if !request.retried.isEmpty { nextRetry = answer.nextRetry }
    lastCount = answer.newEvents.count
    hasMore = !request.backlog.isEmpty || lastCount >= EventStore.batch
    guard request.readsNew else { return }
    gate.saw(
      events: lastCount, taken: answer.locked, own: answer.snapshot.own, xmin: answer.snapshot.xmin,
      isNotified: answer.snapshot.isNotified, now: now)
  }

  /// Moves the cursors over what was read.
  ///
  /// - Parameters:
  ///   - ends: where a reading has left the rest of a hole, by partition.
  ///   - isInHand: whether an event runs, or has ended and is not settled.
  ///   - isKnown: whether the runner has a function.
  mutating func move(
    over answer: PollAnswer, to request: PollRequest, upTo ends: [Int: Int64], _ lease: PartitionLease,
    isInHand: (QueuedEvent.Place) -> Bool, isKnown: (String) -> Bool
  ) {
    let unread = request.unread(above: ends)
    var seen: [Int: [Int64]] = [:]
    var left = unread
    var isAnyTaken = false
    for new in answer.newEvents {
      let (partition, id) = (new.place.partition, new.place.id)
      let isInHand = isInHand(new.place)
      isAnyTaken = isAnyTaken || new.isLate && !isInHand
      guard new.isLate, isInHand || new.event == nil && isKnown(new.function) else {
        seen[partition, default: []].append(id)
        continue
      }
      if unread[partition]?.contains(where: { $0.contains(id) }) != true {
        left[partition, default: []].append(id...id)
      }
    }
    holePause = isAnyTaken ? Self.holeInterval.lowerBound : min(Self.holeInterval.upperBound, holePause * 2)
    move(over: seen, answer.snapshot, to: request, lease, left: left, allocators: answer.openAllocators)
  }

  /// Moves the cursors over ids that were read.
  ///
  /// - Parameters:
  ///   - left: ids in holes that were not taken, or not read.
  ///   - allocators: the oldest open transactions that have drawn an id; `nil` where that was not asked.
  mutating func move(
    over ids: [Int: [Int64]], _ snapshot: PollAnswer.Snapshot, to request: PollRequest, _ lease: PartitionLease,
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

  /// Follows the order of keys where ids are missing, or were when the poll was asked for.
  mutating func followOrder(_ request: PollRequest) {
    order.follow(request.cursors.withHoles.union(cursors.withHoles))
  }

  /// An event was taken into line; says the id of a newer one of its key that was taken before, by mistake.
  mutating func took(_ event: QueuedEvent, writtenBy writer: Int64?, xmin: Int64) -> Int64? {
    order.took(event, writtenBy: writer, xmin: xmin)
  }

  /// Whether a later poll reads an event as one that is new; `nil` where its partition is not read.
  func brings(_ place: QueuedEvent.Place) -> Bool? { cursors[place.partition]?.brings(place.id) }

  /// Has an event that was passed by be read again.
  mutating func miss(_ place: QueuedEvent.Place) { cursors[place.partition]?.miss(place.id) }
}

// The second net.
extension Reading {
  /// Somebody wants to know whether an event was passed by.
  mutating func lookSoon() { audit.lookSoon() }

  /// The look at events that were passed by, if one is due.
  mutating func auditRequest(_ lease: PartitionLease, now: Instant) -> EventAudit.Request? {
    guard now >= audit.nextLook, lease.isTrusted(at: now) else { return nil }
    let lasts = Dictionary(uniqueKeysWithValues: lease.readable.map { ($0, cursors[$0]?.last ?? 0) })
    guard let session, !lasts.isEmpty else {
      audit.failed(now: now)
      return nil
    }
    return EventAudit.Request(ranges: audit.ranges(lasts), session: session, lease: lease.held)
  }

  /// Takes what a look found; what was passed by is read again.
  ///
  /// - Parameter isKnown: whether an event below its partition's cursor is nobody's of this runner, in memory, or left to
  ///   the database on purpose.
  /// - Returns: the events that were passed by.
  mutating func take(
    _ found: [[EventAudit.Seen]], of request: EventAudit.Request, _ lease: PartitionLease, now: Instant,
    isKnown: (EventAudit.Seen) -> Bool
  ) -> [EventAudit.Seen] {
    let passedBy = audit.found(found, isUnderLoad: isUnderLoad, now: now) { event in
      let (partition, id) = (event.place.partition, event.place.id)
      guard let cursor = cursors[partition], lease.holds(partition, since: request.lease[partition]),
        id <= cursor.last
      else { return true }
      return cursor.holes.contains { $0.ids.contains(id) } || isKnown(event)
    }
    overtaken += passedBy.count
    for event in passedBy { miss(event.place) }
    return passedBy
  }

  /// A look failed.
  mutating func auditFailed(_ now: Instant) { audit.failed(now: now) }
}
