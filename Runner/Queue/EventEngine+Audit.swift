import FunctionKit
import Postgres

extension EventEngine {
  /// Looks for events that were passed by, when it is time; runs those that it finds, and says so.
  ///
  /// Only the session that read last is asked: after a loss of it everything is read again.
  func auditWhenDue() async throws(PostgresError) {
    guard !isStopping, .now >= audit.nextLook, lanes.isTrusted, ahead == nil else { return }
    let lasts = Dictionary(uniqueKeysWithValues: lanes.readable.map { ($0, cursors[$0]?.last ?? 0) })
    guard let session, !lasts.isEmpty else { return audit.failed(now: .now) }
    let ranges = audit.ranges(lasts)
    let lease = lanes.lease
    let found: [[EventAudit.Seen]]
    do { found = try await store.waiting(in: ranges, session: session) } catch {
      audit.failed(now: .now)
      if error.code == .otherSession { return }
      throw error
    }
    let unsettled = Set(ended.map(\.place))
    let inMemory = Set(lines.values.flatMap(\.places))
    let passedBy = audit.found(found, isUnderLoad: doorbell.isAwake, now: .now) { event in
      let (lane, id) = (event.place.lane, event.place.id)
      guard let cursor = cursors[lane], lanes.holds(lane, since: lease[lane]), id <= cursor.last else { return true }
      return pools[event.function] == nil || cursor.holes.contains { $0.ids.contains(id) }
        || inFlight[lane].contains(id)
        || unsettled.contains(event.place) || inMemory.contains(event.place)
        || lines[event.function]?.leaves(event.place, key: event.key) == true
    }
    for event in passedBy {
      overtaken += 1
      cursors[event.place.lane]?.miss(event.place.id)
      log.error(
        "An event was overtaken and is run now",
        ["function": event.function, "event.lane": "\(event.place.lane)", "event.number": "\(event.place.id)"])
    }
    if !passedBy.isEmpty { ring() }
  }

  /// Events that nobody seems to have in hand; the next look tells.
  package var suspects: [String] { audit.suspects.keys.map { "\($0.lane).\($0.id)" }.sorted() }

  /// Somebody asks how things are: looks soon whether an event was passed by.
  package func auditSoon() { audit.lookSoon() }
}
