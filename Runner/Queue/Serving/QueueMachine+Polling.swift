extension QueueMachine {
  /// How many held keys are looked after in one poll.
  private static let hungryKeys = 64
  /// After this many polls that only read the backlog, one looks for what is new.
  private static let mostBacklogPolls = 3
  /// After this many polls that were asked for ahead, one looks at everything.
  private static let mostPollsAhead = 8
  /// The shortest pause between two questions who can still fill holes: the answer needs all of the server's locks.
  private static let allocatorsPause = Duration.milliseconds(100)
  /// Few holes are looked into by each poll; more of them wait for ``QueueMachine/holePrice`` each, up to this long.
  private static let (fewHoles, longestHolePause) = (64, Duration.seconds(1))

  /// The next poll, where there is anything to settle or to read.
  mutating func poll(_ now: Instant) -> PollRequest? {
    let request = pollRequest(now)
    guard !request.cursors.isEmpty || !request.ended.isEmpty else {
      if lease.held.isEmpty { due.remove(.poll) } else { due.insert(.poll) }
      return nil
    }
    due.remove(.poll)
    // There may be something in what it does not read.
    if !request.withheld.isEmpty { due.insert(.poll) }
    ended = []
    asked = AskedPoll(request: request, isAhead: false)
    return request
  }

  /// The next poll, to be asked for while the answer of this one is taken: that is a large one, with room for both.
  mutating func pollAhead(after glance: PollReply.Glance, now: Instant) -> PollRequest? {
    guard let taking, mayPollAhead(taking.request, glance) else { return nil }
    self.taking?.isMoved = true
    move(glance.ids, glance.snapshot, taking.request)
    var request = pollRequest(now, isAhead: true)
    guard !request.cursors.isEmpty else { return nil }
    // Retries are for polls that take everything in before the next one.
    request.retried = []
    ended = []
    asked = AskedPoll(request: request, isAhead: true)
    return request
  }

  private func mayPollAhead(_ request: PollRequest, _ glance: PollReply.Glance) -> Bool {
    let count = glance.ids.values.reduce(0) { $0 + $1.count }
    return count >= EventStore.batch && pollsAhead < Self.mostPollsAhead && request.backlog.isEmpty
      && request.retrying.isEmpty && request.cursors.values.allSatisfy(\.holes.isEmpty)
      && queues.values.allSatisfy { $0.backlog.isEmpty && $0.count + count < $0.most }
  }

  private mutating func pollRequest(_ now: Instant, isAhead: Bool = false) -> PollRequest {
    var request = PollRequest(lease: lease.held, session: session, ended: ended)
    guard !isStopping, lease.isTrusted(at: now) else { return request }
    for partition in lease.readable { request.cursors[partition] = cursors[partition, default: PartitionCursor()] }
    guard !request.cursors.isEmpty else { return request }
    // What may come late is older than what is new, and may be older than the backlog: a partition whose holes are not
    // looked into brings nothing.
    request.readsHoles = mayReadHoles(now)
    if !request.readsHoles { request.withheld = request.cursors.withHoles }
    addFunctions(to: &request)
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

  private func addFunctions(to request: inout PollRequest) {
    for (function, queue) in queues {
      if queue.isFull || !queue.backlog.isEmpty { request.full.append(function) }
      if queue.isFull, queue.isKnown { request.crowded.append(function) }
      if queue.isKnown, !queue.isPaused, !queue.isFull { request.retried.append(function) }
      guard queue.isHungry else { continue }
      for (partition, backlog) in queue.backlog where request.brings(partition) {
        let most = max(16, queue.most / 2 / queue.backlog.count)
        request.backlog.append(
          BacklogRange(function: function, key: nil, partition: partition, backlog: backlog, most: most))
      }
      for hungry in queue.hungryKeys(Self.hungryKeys) where request.brings(hungry.partition) {
        request.backlog.append(
          BacklogRange(
            function: function, key: hungry.key, partition: hungry.partition, backlog: hungry.backlog,
            most: queue.mostOfKey))
      }
    }
    if !lease.elsewhere.isEmpty { request.own = functions.keys.sorted() }
    request.retried.sort()
    request.full.sort()
    request.crowded.sort()
    request.retrying = Array(retrying)
  }

  /// Whether there are holes and it is time to look into them.
  private mutating func mayReadHoles(_ now: Instant) -> Bool {
    guard hasHoles, now >= nextHoleLook else { return false }
    holesReadAt = now
    return true
  }

  private var holes: Int { cursors.values.reduce(0) { $0 + $1.holes.count } }
  var hasHoles: Bool { cursors.values.contains { !$0.holes.isEmpty } }

  /// From when on holes are looked into.
  var nextHoleLook: Instant {
    let count = holes
    return count <= Self.fewHoles ? holesReadAt : holesReadAt + min(holePrice * count, Self.longestHolePause)
  }
}
