/// Takes what a poll has read into line.
struct Intake {
  private let request: PollRequest
  private let lease: PartitionLease
  /// Events that have ended and whose end is not in the tables yet.
  private let unsettled: Set<QueuedEvent.Place>
  /// Where the reading has left the rest of a hole, by partition.
  private var ends: [Int: Int64] = [:]
  /// The functions with events that may start.
  private(set) var functions: Set<String> = []
  /// Functions with events that the runner does not have.
  private(set) var unknown: Set<String> = []
  /// Events that were taken after a newer one of their key by mistake, with its id.
  private(set) var outOfOrder: [(event: QueuedEvent, newer: Int64)] = []
  /// Whether an event was read that is in hand: a poll that is on its way may pass it by.
  private(set) var isVoid = false

  init(_ request: PollRequest, _ lease: PartitionLease, unsettled: Set<QueuedEvent.Place>) {
    (self.request, self.lease, self.unsettled) = (request, lease, unsettled)
  }

  /// Whether there is more than was read.
  var isCut: Bool { !ends.isEmpty }

  /// - Parameter isMoved: whether the cursors have been moved over it already.
  mutating func take(
    _ answer: PollAnswer, isMoved: Bool, _ reading: inout Reading, _ running: inout Running
  ) {
    var answer = answer
    ends = request.cut(&answer)
    if !isMoved, request.readsNew {
      reading.move(
        over: answer, to: request, upTo: ends, lease, isInHand: { running.isInHand($0, or: unsettled) },
        isKnown: { running.knows($0) })
    }
    reading.followOrder(request)
    for new in answer.newEvents where lease.stillReads(new.place.partition, under: request.lease) {
      take(new, xmin: answer.snapshot.xmin, &reading, &running)
    }
    takeBacklog(answer, &reading, &running)
    for event in answer.retries where lease.stillReads(event.place.partition, under: request.lease) {
      if running.retry(event) { functions.insert(event.function) }
    }
  }

  private mutating func take(_ new: NewEvent, xmin: Int64, _ reading: inout Reading, _ running: inout Running) {
    guard !running.isInHand(new.place, or: unsettled) else {
      // A server that came back from an older state may have given its id to another one: it is read again.
      reading.miss(new.place)
      isVoid = true
      return
    }
    guard !running.isReturned(new.place) else {
      if new.event.map({ running.replace($0) }) != true { reading.miss(new.place) }
      return
    }
    guard running.knows(new.function) else {
      unknown.insert(new.function)
      return
    }
    if let event = new.event {
      if running.arrive(event, isLate: new.isLate) { took(event, of: new.writer, xmin: xmin, &reading) }
    } else if !new.isLate {
      running.skip(new.place, of: new.function)
    }
    functions.insert(new.function)
  }

  private mutating func takeBacklog(_ answer: PollAnswer, _ reading: inout Reading, _ running: inout Running) {
    for (asked, read) in zip(request.backlog, answer.backlog)
    where ends[asked.partition] == nil && lease.stillReads(asked.partition, under: request.lease) {
      let events = read.events.filter { canLoad($0.place, &reading, running) }
      if let key = asked.key {
        guard running.read(asked.function, key: key, through: read.through) else { continue }
      } else {
        running.read(asked.function, partition: asked.partition, through: read.through)
      }
      for event in events where running.load(event, isLate: asked.key != nil) {
        took(event, xmin: answer.snapshot.xmin, &reading)
      }
      functions.insert(asked.function)
    }
  }

  /// An event was taken into line.
  private mutating func took(
    _ event: QueuedEvent, of writer: Int64? = nil, xmin: Int64, _ reading: inout Reading
  ) {
    if let newer = reading.took(event, writtenBy: writer, xmin: xmin) { outOfOrder.append((event, newer)) }
  }

  /// Whether an event of the backlog can be taken; else its partition's cursor brings it.
  private func canLoad(_ place: QueuedEvent.Place, _ reading: inout Reading, _ running: Running) -> Bool {
    guard reading.brings(place) == false else { return false }
    guard running.isInHand(place, or: unsettled) else { return true }
    reading.miss(place)
    return false
  }
}
