import Postgres

@testable import Manifest
@testable import Queue

/// A runner's reading, poll by poll: the statements, the cursors and the notify gate, with requests as `QueueMachine`
/// makes them and a clock that stands still.
actor SteppedReader {
  private let store: EventStore
  private let lease: EventStore.Lease
  private var cursors: [Int: PartitionCursor]
  private var gate: NotifyGate
  private let now = ContinuousClock.now
  private var polls = 0
  private var order = OrderAudit()
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
    cursors = lease.mapValues { _ in PartitionCursor() }
    gate = NotifyGate(now: now)
  }

  /// How soon it would poll again by itself.
  var interval: Duration? { gate.poll }

  var hasHoles: Bool { cursors.values.contains { !$0.holes.isEmpty } }

  /// How many events were read after a newer one of their key that was read when they could be seen.
  var broken: Int { order.broken }

  /// Polls; every other time it asks which transactions can still fill holes.
  ///
  /// - Parameter passesHoles: whether it reads what is new and does not look into holes, as the runner did once: wrong.
  func poll(times: Int = 1, passesHoles: Bool = false) async throws {
    for _ in 0..<times {
      polls += 1
      var request = PollRequest(lease: lease, cursors: cursors)
      request.readsHoles = hasHoles && !passesHoles
      request.asksForAllocators = request.readsHoles && polls.isMultiple(of: 2)
      request.gate = gate.request(partitions: lease.keys.sorted(), now: now)
      request.needsNumber = request.gate.needsNumber || cursors.values.contains(where: \.needsNumber)
      let answer = try await store.poll(request).answer()
      take(answer, request)
      if trustsSnapshots { try await closeHoles(xmin: answer.snapshot.xmin) }
    }
  }

  private func closeHoles(xmin: Int64) async throws {
    let xmax: Int64 = try await store.database.query(
      "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xmax"
    ).only().decode("xmax")
    for partition in lease.keys { cursors[partition]?.saw([], PartitionCursor.Horizon(own: xmax, xmin: xmin)) }
  }

  private func take(_ answer: PollAnswer, _ request: PollRequest) {
    let snapshot = answer.snapshot
    // No event counts as load: the runner is to fall asleep.
    gate.saw(
      events: 0, taken: answer.locked, own: snapshot.own, xmin: snapshot.xmin, isNotified: snapshot.isNotified,
      now: now)
    for partition in lease.keys {
      let allocator = answer.openAllocators.map { $0[partition] ?? .max }
      cursors[partition]?.saw(
        answer.newEvents.filter { $0.place.partition == partition }.map(\.place.id), readsHoles: request.readsHoles,
        PartitionCursor.Horizon(own: snapshot.own, xmin: snapshot.xmin, oldestAllocator: allocator))
    }
    order.follow(request.cursors.withHoles.union(cursors.withHoles))
    for new in answer.newEvents {
      if let event = new.event { _ = order.took(event, writtenBy: new.writer, xmin: snapshot.xmin) }
    }
    read += answer.newEvents.map(\.place)
  }
}
