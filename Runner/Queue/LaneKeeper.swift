import FunctionKit
import Postgres
import System

/// The lanes that this runner holds, and how long it may believe so.
@RunnerLoop
final class LaneKeeper {
  private let store: EventStore
  private let log: Log
  private(set) var lease: EventStore.Lease = [:]
  /// This runner's functions, and those that runners of other groups have.
  var functions: [String] = []
  private(set) var elsewhere: Set<String> = []
  /// Lanes beyond this runner's share, which are given back as soon as nothing of them runs.
  private(set) var leaving: Set<Int> = []
  /// Whether it had fewer lanes than its share when it looked last.
  private var isShort = false
  private var nextLook = ContinuousClock.now
  /// Whether somebody has asked for a look since the last one began.
  private var isAsked = false
  private var trustedUntil = ContinuousClock.now

  init(store: EventStore, log: Log) {
    (self.store, self.log) = (store, log)
  }

  /// Whether the lanes are certainly this runner's: it was heard of so lately that no other can have taken them.
  var isTrusted: Bool { .now < trustedUntil }

  /// The lanes that are read.
  var readable: [Int] { lease.keys.filter { !leaving.contains($0) }.sorted() }

  /// How long nothing has to be done for the lease.
  var untilNextLook: Duration { isAsked ? .milliseconds(1) : max(.milliseconds(1), nextLook - .now) }

  /// Whether a lane is held, and was not another's since the epoch given.
  func holds(_ lane: Int, since epoch: Int64?) -> Bool { epoch != nil && lease[lane] == epoch }

  /// Prolongs the lease when it is time; says which lanes are new and which are lost, `nil` when it was not time.
  func keep() async throws(PostgresError) -> (new: Set<Int>, lost: Set<Int>)? {
    guard isAsked || .now >= nextLook else { return nil }
    let start = ContinuousClock.now
    isAsked = false
    let (held, share, others): (EventStore.Lease, Int, [String])
    do {
      (held, share, others) = try await store.hold(functions)
      if held.count < share, !isShort { try await store.askForLanes() }
    } catch {
      isAsked = true
      throw error
    }
    isShort = held.count < share
    elsewhere = Set(others)
    trustedUntil = start + .seconds(store.leaseSeconds - 1)
    nextLook = start + .seconds(store.leaseSeconds) / (held.count < share ? 9 : 3)
    let new = Set(held.keys.filter { lease[$0] != held[$0] })
    let lost = Set(lease.keys.filter { held[$0] != lease[$0] })
    lease = held
    // One that has begun to leave goes on to do so: its events have been forgotten.
    leaving = leaving.union(held.keys.sorted().dropFirst(share)).intersection(held.keys).subtracting(new)
    if !new.isEmpty { log.info("Lanes taken", ["lanes": "\(new.count)", "held": "\(held.count)"]) }
    return (new, lost)
  }

  /// Gives back lanes; nothing of them runs.
  func release(_ lanes: Set<Int>) async throws(PostgresError) {
    guard !lanes.isEmpty else { return }
    try await store.release(lanes)
    for lane in lanes { lease[lane] = nil }
    leaving.subtract(lanes)
    log.info("Lanes given to another runner", ["lanes": "\(lanes.count)", "held": "\(lease.count)"])
  }

  /// Some lane is another's: asks at once which.
  func lookNow() { isAsked = true }
}
