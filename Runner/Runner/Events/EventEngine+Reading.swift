import FunctionKit
import Postgres

extension EventEngine {
  /// How many held keys are looked after in one turn.
  private static let hungryKeys = 64
  /// After so many turns that only read what had been left, one looks for what is new.
  private static let mostTurnsOfLeft = 3
  /// After so many turns that were asked for ahead, one looks at everything.
  private static let mostAhead = 8
  /// Who can still fill holes is asked no more often than this: it takes all of the server's locks to tell.
  private static let drawersPause = Duration.milliseconds(100)

  /// What the next turn settles and reads.
  ///
  /// - Parameter isAhead: whether it is asked for before the last one's answer is taken in.
  func nextOrder(isAhead: Bool = false) -> EventStore.Order {
    var order = EventStore.Order(lease: lanes.lease, ended: ended)
    guard !isStopping, lanes.isTrusted else { return order }
    for lane in lanes.readable { order.cursors[lane] = cursors[lane, default: LaneCursor()] }
    guard !order.cursors.isEmpty else { return order }
    for (function, line) in lines {
      if line.isFull || !line.unread.isEmpty { order.full.append(function) }
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
    order.retried.sort()
    order.full.sort()
    order.retrying = Array(retrying)
    // A function that keeps up is given what it has left in the database before its line there is made longer.
    // What may come late has to be looked for each time: it may be older than what had been left.
    let hasHoles = order.cursors.values.contains { !$0.holes.isEmpty }
    order.readsNew = order.left.isEmpty || hasHoles || turnsOfLeft >= Self.mostTurnsOfLeft
    if hasHoles, .now - drawersAskedAt >= Self.drawersPause {
      (order.asksForDrawers, drawersAskedAt) = (true, .now)
    }
    turnsOfLeft = order.readsNew ? 0 : turnsOfLeft + 1
    if order.readsNew, !isAhead { order.bell = doorbell.order(lanes: order.cursors.keys.sorted(), now: .now) }
    return order
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
        events: reading.arrivals.count, taken: reading.lanesWithBell, xmin: reading.xmin, xmax: reading.xmax, now: .now)
    }
    guard lanes.isTrusted else {
      // The process has been asleep. What the cursors have passed by already must not be forgotten with the reading.
      if isMoved { beginAnew() }
      return false
    }
    if let now = reading.session, now != session {
      defer { session = now }
      if session != nil {
        beginAnew()
        return true
      }
    }
    var functions: Set<String> = []
    if !isMoved, order.readsNew { move(reading, order) }
    for arrival in reading.arrivals
    where isStillOurs(arrival.place.lane, order) && !inFlight[arrival.place.lane].contains(arrival.place.id) {
      if lines[arrival.function] == nil { _ = line(arrival.function) }
      if let event = arrival.event {
        lines[arrival.function]?.arrive(event, isLate: arrival.isLate)
      } else {
        lines[arrival.function]?.skip(arrival.place)
      }
      functions.insert(arrival.function)
    }
    for (left, loaded) in zip(order.left, reading.loaded) where isStillOurs(left.lane, order) {
      if let key = left.key {
        lines[left.function]?.load(key: key, loaded.events, through: loaded.through)
      } else {
        lines[left.function]?.read(lane: left.lane, through: loaded.through)
        for event in loaded.events { lines[left.function]?.load(event) }
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
    for function in functions where pools[function] == nil && missing.insert(function).inserted {
      log.error("Events wait for a function that functions.json does not have", ["function": function])
    }
    return !functions.isEmpty
  }

  /// Moves the cursors over what was seen.
  private func move(_ reading: EventStore.Reading, _ order: EventStore.Order) {
    var seen: [Int: [Int64]] = [:]
    for arrival in reading.arrivals { seen[arrival.place.lane, default: []].append(arrival.place.id) }
    move((seen, reading.xmin, reading.xmax), order, drawers: reading.drawers)
  }

  func move(
    _ seen: (ids: [Int: [Int64]], xmin: Int64, xmax: Int64), _ order: EventStore.Order, drawers: [Int: Int64]? = nil
  ) {
    for lane in order.cursors.keys where isStillOurs(lane, order) {
      cursors[lane, default: LaneCursor()]
        .saw(
          seen.ids[lane] ?? [], xmin: seen.xmin, xmax: seen.xmax, oldestDrawer: drawers.map { $0[lane] ?? .max })
    }
  }

  /// Whether a lane has been this runner's since the order was given.
  private func isStillOurs(_ lane: Int, _ order: EventStore.Order) -> Bool {
    order.lease[lane] != nil && order.lease[lane] == lanes.lease[lane] && !lanes.leaving.contains(lane)
  }
}
