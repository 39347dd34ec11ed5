import FunctionKit
import Postgres

extension EventEngine {
  /// Prolongs the lease, begins with lanes that are new, gives up those that are lost or beyond this runner's share.
  func keepLanes() async throws(PostgresError) {
    if let (new, lost) = try await lanes.keep() {
      lose(lost)
      for lane in new { cursors[lane] = LaneCursor() }
      if !new.isEmpty { blockersChanged = true }
    }
    if !lanes.leaving.isEmpty {
      forget(lanes.leaving)
      let unsettled = Set((ended + (ahead?.order.ended ?? [])).map(\.place.lane))
      try await lanes.release(lanes.leaving.filter { inFlight[$0].isEmpty && !unsettled.contains($0) })
    }
    if blockersChanged, !lanes.lease.isEmpty { try await readBlockers() }
  }

  /// Another runner wants lanes, or has given some back.
  package func lookForLanes() {
    lanes.lookNow()
    ring()
  }

  /// Another runner has the lanes now and reads everything again: what still runs of them here settles nothing.
  func lose(_ lost: Set<Int>) {
    guard !lost.isEmpty else { return }
    log.warning("The lanes have gone to another runner", ["lanes": "\(lost.count)"])
    forget(lost)
    for lane in lost { inFlight[lane] = [] }
    ended.removeAll { lost.contains($0.place.lane) }
    retrying = retrying.filter { !lost.contains($0.lane) }
  }

  /// Reads everything again, except what runs: the session was lost, and maybe the server has crashed.
  ///
  /// A crash takes back what was settled and not yet on disk, and lets ids be drawn again that had been seen.
  func beginAnew() {
    forget(Set(lanes.lease.keys))
    for lane in lanes.readable { cursors[lane] = LaneCursor() }
    isAheadVoid = ahead != nil
    doorbell.failed(now: .now)
    blockersChanged = true
    ring()
  }

  private func forget(_ gone: Set<Int>) {
    for lane in gone { cursors[lane] = nil }
    for function in lines.keys {
      for event in lines[function]?.forget(lanes: gone) ?? [] { retrying.remove(event.place) }
    }
  }

  /// Learns which keys are held by failed events: at the start, before anything is read of a lane, and when dead letters
  /// were replayed or purged.
  private func readBlockers() async throws(PostgresError) {
    let blocking = lines.filter(\.value.blocks).map(\.key)
    blockersChanged = false
    guard !blocking.isEmpty else { return }
    let held = Set(lanes.lease.keys)
    let found: [EventStore.Blocker]
    do {
      found = try await store.blockers(blocking, lanes: held.sorted())
    } catch {
      blockersChanged = true
      throw error
    }
    let released = unsettled { if case .done = $0 { true } else { false } }
    let holding = unsettled { if case .done = $0 { false } else { true } }
    for function in blocking {
      var keys: [String: (lane: Int, ids: Set<Int64>)] = [:]
      for blocker in found
      where blocker.function == function && released[blocker.lane]?.contains(blocker.id) != true {
        keys[blocker.key, default: (blocker.lane, [])].ids.insert(blocker.id)
      }
      lines[function]?.hold(keys, unsettled: holding, lanes: held)
      start(function)
    }
  }

  /// The ids of events that have ended and whose end is not in the tables yet, by their lanes.
  private func unsettled(_ ending: (EndedAttempt.Settlement) -> Bool) -> [Int: Set<Int64>] {
    (ended + (ahead?.order.ended ?? [])).filter { ending($0.settlement) }
      .reduce(into: [:]) { ids, attempt in ids[attempt.place.lane, default: []].insert(attempt.place.id) }
  }
}
