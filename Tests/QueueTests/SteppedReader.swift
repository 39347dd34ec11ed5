import Postgres

@testable import Manifest
@testable import Queue

/// A runner's reading, turn by turn: the statements, the cursors and the doorbell, with orders as
/// `EventEngine.nextOrder()` makes them and a clock that stands still.
actor SteppedReader {
  private let store: EventStore
  private let lease: EventStore.Lease
  private var cursors: [Int: LaneCursor]
  private var doorbell: Doorbell
  private let now = ContinuousClock.now
  private var turns = 0
  /// Whether it takes a snapshot's xmax for one past the highest transaction begun, as the runner did once: wrong.
  private let trustsSnapshots: Bool
  /// The places of all rows that were read, in the order of reading.
  private(set) var read: [QueuedEvent.Place] = []

  init(_ url: String, trustsSnapshots: Bool = false) async throws {
    self.trustsSnapshots = trustsSnapshots
    store = EventStore(
      database: EventStore.connection(url), owner: "00000000-0000-4000-8000-000000000001", holder: 1, name: "test",
      leaseSeconds: 3_600, history: History())
    lease = try await store.hold().lease
    cursors = lease.mapValues { _ in LaneCursor() }
    doorbell = Doorbell(now: now)
  }

  /// How soon it would look again by itself.
  var poll: Duration? { doorbell.poll }

  var hasHoles: Bool { cursors.values.contains { !$0.holes.isEmpty } }

  /// Takes turns; every other one asks which transactions can still fill holes.
  func turn(times: Int = 1) async throws {
    for _ in 0..<times {
      turns += 1
      var order = EventStore.Order(lease: lease, cursors: cursors)
      order.readsHoles = hasHoles
      order.asksForDrawers = hasHoles && turns.isMultiple(of: 2)
      order.bell = doorbell.order(lanes: lease.keys.sorted(), now: now)
      order.needsNumber = order.bell.needsNumber || cursors.values.contains(where: \.needsNumber)
      let reading = try EventStore.reading(try await store.turn(order))
      take(reading, order)
      if trustsSnapshots { try await closeHoles(xmin: reading.snapshot.xmin) }
    }
  }

  private func closeHoles(xmin: Int64) async throws {
    let xmax: Int64 = try await store.database.query(
      "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xmax"
    ).only().decode("xmax")
    for lane in lease.keys { cursors[lane]?.saw([], LaneCursor.Horizon(own: xmax, xmin: xmin)) }
  }

  private func take(_ reading: EventStore.Reading, _ order: EventStore.Order) {
    let snapshot = reading.snapshot
    // No event counts as load: the runner is to fall asleep.
    doorbell.saw(
      events: 0, taken: reading.lanesWithBell, own: snapshot.own, xmin: snapshot.xmin, isRung: snapshot.isRung, now: now
    )
    for lane in lease.keys {
      let drawer = reading.drawers.map { $0[lane] ?? .max }
      cursors[lane]?.saw(
        reading.arrivals.filter { $0.place.lane == lane }.map(\.place.id), readsHoles: order.readsHoles,
        LaneCursor.Horizon(own: snapshot.own, xmin: snapshot.xmin, oldestDrawer: drawer))
    }
    read += reading.arrivals.map(\.place)
  }
}
