import FunctionKit
import Postgres

extension EventEngine {
  /// How many held keys are looked after in one turn.
  private static let hungryKeys = 64
  /// After this many turns that only read what had been left, one looks for what is new.
  private static let mostTurnsOfLeft = 3
  /// After this many turns that were asked for ahead, one looks at everything.
  private static let mostAhead = 8
  /// Who can still fill holes is asked no more often than this: it takes all of the server's locks to tell.
  private static let drawersPause = Duration.milliseconds(100)
  /// More holes than these, and many more, are looked into only as often.
  private static let fewHoles = (count: 64, pause: Duration.milliseconds(100))
  private static let manyHoles = (count: 4_096, pause: Duration.seconds(1))

  /// What the next turn settles and reads.
  ///
  /// - Parameter isAhead: whether it is asked for before the last one's answer is taken in.
  func nextOrder(isAhead: Bool = false) -> EventStore.Order {
    var order = EventStore.Order(lease: lanes.lease, session: session, ended: ended)
    guard !isStopping, lanes.isTrusted else { return order }
    for lane in lanes.readable { order.cursors[lane] = cursors[lane, default: LaneCursor()] }
    guard !order.cursors.isEmpty else { return order }
    for (function, line) in lines {
      if line.isFull || !line.unread.isEmpty { order.full.append(function) }
      if line.isFull, line.isKnown { order.crowded.append(function) }
      if line.isKnown, !line.isPaused, !line.isFull { order.retried.append(function) }
      guard line.isHungry else { continue }
      for (lane, unread) in line.unread where order.cursors[lane] != nil {
        let most = max(16, line.most / 2 / line.unread.count)
        order.left.append(EventStore.Left(function: function, key: nil, lane: lane, unread: unread, most: most))
      }
      order.left += line.hungryKeys(Self.hungryKeys).map {
        EventStore.Left(function: function, key: $0.key, lane: $0.lane, unread: $0.unread, most: KeyLine.most)
      }
    }
    if !lanes.elsewhere.isEmpty { order.own = pools.keys.sorted() }
    order.retried.sort()
    order.full.sort()
    order.crowded.sort()
    order.retrying = Array(retrying)
    // A function that keeps up is given what it has left in the database before its line there is made longer.
    // What may come late has to be looked for each time: it may be older than what had been left.
    order.readsHoles = mayReadHoles(order.cursors.values.reduce(0) { $0 + $1.holes.count })
    order.readsNew = order.left.isEmpty || order.readsHoles || turnsOfLeft >= Self.mostTurnsOfLeft
    if order.readsHoles, .now - drawersAskedAt >= Self.drawersPause {
      (order.asksForDrawers, drawersAskedAt) = (true, .now)
    }
    turnsOfLeft = order.readsNew ? 0 : turnsOfLeft + 1
    if order.readsNew, !isAhead { order.bell = doorbell.order(lanes: order.cursors.keys.sorted(), now: .now) }
    order.needsNumber = order.bell.needsNumber || order.cursors.values.contains(where: \.needsNumber)
    return order
  }

  /// Whether there are holes and it is time to look into them.
  private func mayReadHoles(_ count: Int) -> Bool {
    let pause =
      count > Self.manyHoles.count ? Self.manyHoles.pause : count > Self.fewHoles.count ? Self.fewHoles.pause : .zero
    guard count > 0, .now - holesReadAt >= pause else { return false }
    holesReadAt = .now
    return true
  }

  /// Whether the next batch may be asked for while this one is taken: it is a large one, and there is room for both.
  func mayReadAhead(_ order: EventStore.Order, _ ids: [Int: [Int64]]) -> Bool {
    let count = ids.values.reduce(0) { $0 + $1.count }
    return count >= EventStore.batch && turnsAhead < Self.mostAhead && order.left.isEmpty && order.retrying.isEmpty
      && order.cursors.values.allSatisfy(\.holes.isEmpty)
      && lines.values.allSatisfy { $0.unread.isEmpty && $0.count + count < $0.most }
  }

  /// Asks for the next batch, beside the loop's thread.
  func readAhead() {
    var order = nextOrder(isAhead: true)
    guard !order.cursors.isEmpty else { return }
    // Retries are for turns that take everything in before the next one.
    order.retried = []
    ended = []
    let (store, next) = (store, order)
    ahead = (
      next,
      Task.detached {
        do throws(PostgresError) { return .success(try await store.turn(next)) } catch { return .failure(error) }
      }
    )
  }

  /// Takes what a turn has read into the functions' lines, and starts what may start; `true` when there was anything.
  func take(_ reading: EventStore.Reading, _ order: EventStore.Order, isMoved: Bool) -> Bool {
    if !order.retried.isEmpty { nextRetry = reading.nextRetry }
    arrived = reading.arrivals.count
    hasMore = !order.left.isEmpty || arrived >= EventStore.batch
    if order.readsNew {
      doorbell.saw(
        events: reading.arrivals.count, taken: reading.lanesWithBell, own: reading.snapshot.own,
        xmin: reading.snapshot.xmin, isRung: reading.snapshot.isRung, now: .now)
    }
    guard lanes.isTrusted else {
      // The process has been asleep. What the cursors have passed by already must not be forgotten with the reading.
      if isMoved { beginAnew() }
      return false
    }
    var (functions, unknown): (Set<String>, Set<String>) = ([], [])
    let unsettled = Set(ended.map(\.place))
    if !isMoved, order.readsNew { move(reading, order, unsettled) }
    for arrival in reading.arrivals where isStillOurs(arrival.place.lane, order) {
      guard !isInHand(arrival.place, unsettled) else {
        // A server that came back from an older state may have given its id to another one: it is read again.
        cursors[arrival.place.lane]?.miss(arrival.place.id)
        if ahead != nil { isAheadVoid = true }
        continue
      }
      guard pools[arrival.function] != nil else {
        unknown.insert(arrival.function)
        continue
      }
      if let event = arrival.event {
        lines[arrival.function]?.arrive(event, isLate: arrival.isLate)
      } else if !arrival.isLate {
        lines[arrival.function]?.skip(arrival.place)
      }
      functions.insert(arrival.function)
    }
    for (left, loaded) in zip(order.left, reading.loaded) where isStillOurs(left.lane, order) {
      let events = loaded.events.filter { canLoad($0.place, unsettled) }
      if let key = left.key {
        lines[left.function]?.load(key: key, events, through: loaded.through)
      } else {
        lines[left.function]?.read(lane: left.lane, through: loaded.through)
        for event in events { lines[left.function]?.load(event) }
      }
      functions.insert(left.function)
    }
    for event in reading.retries
    where isStillOurs(event.place.lane, order) && !inFlight[event.place.lane].contains(event.place.id)
      && retrying.insert(event.place).inserted
    {
      lines[event.function]?.load(event)
      functions.insert(event.function)
    }
    for function in functions { start(function) }
    for function in unknown where !lanes.elsewhere.contains(function) && missing.insert(function).inserted {
      log.error("Events wait for a function that functions.json does not have", ["function": function])
    }
    return !functions.isEmpty || !unknown.isEmpty
  }

  /// Whether an event runs, or has ended and is not settled: after a loss of the session it is read again.
  private func isInHand(_ place: QueuedEvent.Place, _ unsettled: Set<QueuedEvent.Place>) -> Bool {
    inFlight[place.lane].contains(place.id) || unsettled.contains(place)
  }

  /// Whether an event that had been left can be taken; else its lane's cursor brings it.
  private func canLoad(_ place: QueuedEvent.Place, _ unsettled: Set<QueuedEvent.Place>) -> Bool {
    guard cursors[place.lane]?.brings(place.id) == false else { return false }
    guard isInHand(place, unsettled) else { return true }
    cursors[place.lane]?.miss(place.id)
    return false
  }

  /// Moves the cursors over what was seen.
  private func move(
    _ reading: EventStore.Reading, _ order: EventStore.Order, _ unsettled: Set<QueuedEvent.Place>
  ) {
    var seen: [Int: [Int64]] = [:]
    var left: [Int: [ClosedRange<Int64>]] = [:]
    var late: [Int: [Int64]] = [:]
    var isAnyTaken = false
    for arrival in reading.arrivals {
      let (lane, id) = (arrival.place.lane, arrival.place.id)
      let isInHand = isInHand(arrival.place, unsettled)
      if arrival.isLate { late[lane, default: []].append(id) }
      isAnyTaken = isAnyTaken || arrival.isLate && !isInHand
      if arrival.isLate, isInHand || arrival.event == nil && pools[arrival.function] != nil {
        left[lane, default: []].append(id...id)
      } else {
        seen[lane, default: []].append(id)
      }
    }
    for (lane, ids) in late {
      for hole in order.cursors[lane]?.holes ?? [] {
        let found = ids.filter { hole.ids.contains($0) }
        guard found.count >= EventStore.batch, let last = found.max(), last < hole.ids.upperBound else { continue }
        left[lane, default: []].append(last + 1...hole.ids.upperBound)
      }
    }
    holePause = isAnyTaken ? Self.holePoll.lowerBound : min(Self.holePoll.upperBound, holePause * 2)
    move((seen, reading.snapshot), order, left: left, drawers: reading.drawers)
  }

  func move(
    _ seen: (ids: [Int: [Int64]], snapshot: EventStore.Snapshot), _ order: EventStore.Order,
    left: [Int: [ClosedRange<Int64>]] = [:], drawers: [Int: Int64]? = nil
  ) {
    for lane in order.cursors.keys where isStillOurs(lane, order) {
      let horizon = LaneCursor.Horizon(
        own: seen.snapshot.own, xmin: seen.snapshot.xmin, oldestDrawer: drawers.map { $0[lane] ?? .max })
      let count = cursors[lane]?.holes.count ?? 0
      cursors[lane, default: LaneCursor()]
        .saw(seen.ids[lane] ?? [], left: left[lane] ?? [], readsHoles: order.readsHoles, horizon)
      if cursors[lane]?.holes.count != count { holePause = Self.holePoll.lowerBound }
    }
  }

  /// Whether a lane has been this runner's since the order was given.
  private func isStillOurs(_ lane: Int, _ order: EventStore.Order) -> Bool {
    order.lease[lane] != nil && order.lease[lane] == lanes.lease[lane] && !lanes.leaving.contains(lane)
  }
}
