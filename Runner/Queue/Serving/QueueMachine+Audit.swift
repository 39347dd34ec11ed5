extension QueueMachine {
  /// What to look at for events that were passed by.
  ///
  /// Only the session that read last is asked: after a loss of it everything is read again.
  struct AuditRequest {
    var ranges: [EventAudit.Range]
    var session: Int
    var lease: EventStore.Lease
  }

  /// The look that is due, if any.
  mutating func auditRequest(_ now: Instant) -> AuditRequest? {
    guard !isStopping, now >= audit.nextLook, lease.isTrusted(at: now), asked == nil else { return nil }
    let lasts = Dictionary(uniqueKeysWithValues: lease.readable.map { ($0, cursors[$0]?.last ?? 0) })
    guard let session, !lasts.isEmpty else {
      audit.failed(now: now)
      return nil
    }
    return AuditRequest(ranges: audit.ranges(lasts), session: session, lease: lease.held)
  }

  /// Takes what a look found: events that were passed by are read again, and people are told.
  mutating func take(_ found: [[EventAudit.Seen]], of request: AuditRequest, now: Instant) {
    let unsettled = Set(ended.map(\.place))
    let inMemory = Set(queues.values.flatMap(\.places))
    let passedBy = audit.found(found, isUnderLoad: gate.isAwake, now: now) { event in
      let (partition, id) = (event.place.partition, event.place.id)
      guard let cursor = cursors[partition], lease.holds(partition, since: request.lease[partition]),
        id <= cursor.last
      else { return true }
      return functions[event.function] == nil || cursor.holes.contains { $0.ids.contains(id) }
        || inFlight[partition].contains(id) || unsettled.contains(event.place) || inMemory.contains(event.place)
        || queues[event.function]?.leaves(event.place, key: event.key) == true
    }
    for event in passedBy {
      overtaken += 1
      cursors[event.place.partition]?.miss(event.place.id)
      effects.append(.say(.overtaken(event)))
    }
    if !passedBy.isEmpty { wakeUp() }
  }
}
