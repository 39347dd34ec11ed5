import Postgres

extension EventEngine {
  /// How many held keys are looked after in one turn.
  private static let hungryKeys = 64

  /// What the next turn settles and reads.
  func nextOrder() -> EventStore.Order {
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
    order.asksForDrawers = order.cursors.values.contains { !$0.holes.isEmpty }
    order.bell = doorbell.order(lanes: order.cursors.keys.sorted(), now: .now)
    return order
  }

  /// Takes what a turn has read into the functions' lines, and starts what may start; `true` when there was anything.
  func take(_ reading: EventStore.Reading, _ order: EventStore.Order) -> Bool {
    nextRetry = reading.nextRetry
    guard lanes.isTrusted else { return false }
    var functions: Set<String> = []
    move(reading, order)
    for arrival in reading.arrivals where lanes.lease[arrival.place.lane] != nil {
      if lines[arrival.function] == nil { _ = line(arrival.function) }
      if let event = arrival.event {
        lines[arrival.function]?.arrive(event, isLate: arrival.isLate)
      } else {
        lines[arrival.function]?.skip(arrival.place)
      }
      functions.insert(arrival.function)
    }
    for (left, loaded) in zip(order.left, reading.loaded) where lanes.lease[left.lane] != nil {
      if let key = left.key {
        lines[left.function]?.load(key: key, loaded.events, through: loaded.through)
      } else {
        lines[left.function]?.read(lane: left.lane, through: loaded.through)
        for event in loaded.events { lines[left.function]?.load(event) }
      }
      functions.insert(left.function)
    }
    for event in reading.retries where retrying.insert(event.place).inserted {
      lines[event.function]?.load(event)
      functions.insert(event.function)
    }
    for function in functions { start(function) }
    return !functions.isEmpty
  }

  /// Moves the cursors over what was seen.
  private func move(_ reading: EventStore.Reading, _ order: EventStore.Order) {
    var seen: [Int: [Int64]] = [:]
    for arrival in reading.arrivals { seen[arrival.place.lane, default: []].append(arrival.place.id) }
    for lane in order.cursors.keys where lanes.lease[lane] != nil {
      let oldest = reading.drawers.map { $0[lane] ?? .max }
      cursors[lane, default: LaneCursor()]
        .saw(seen[lane] ?? [], xmin: reading.xmin, xmax: reading.xmax, oldestDrawer: oldest)
    }
  }
}
