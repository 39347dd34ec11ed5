/// The partitions that this runner holds, and how long it may believe so.
struct PartitionLease {
  /// How long it lasts when this runner is not heard of, in seconds.
  let seconds: Int
  private(set) var held: EventStore.Lease = [:]
  /// Functions that runners of other groups have.
  private(set) var elsewhere: Set<String> = []
  /// Partitions beyond this runner's share, which are given back as soon as nothing of them runs.
  private(set) var leaving: Set<Int> = []
  /// Whether there were fewer partitions than its share when it looked last.
  private(set) var isShort = false
  private(set) var nextLook: ContinuousClock.Instant
  private var trustedUntil: ContinuousClock.Instant

  init(seconds: Int, now: ContinuousClock.Instant) {
    (self.seconds, nextLook, trustedUntil) = (seconds, now, now)
  }

  /// Whether the partitions are certainly this runner's: it was heard of so lately that no other can have taken them.
  func isTrusted(at now: ContinuousClock.Instant) -> Bool { now < trustedUntil }

  /// The partitions that are read.
  var readable: [Int] { held.keys.filter { !leaving.contains($0) }.sorted() }

  /// Whether a partition is held, and was not another's since the epoch given.
  func holds(_ partition: Int, since epoch: Int64?) -> Bool { epoch != nil && held[partition] == epoch }

  /// Whether a partition is read, and was held under another lease in the same way.
  func stillReads(_ partition: Int, under lease: EventStore.Lease) -> Bool {
    holds(partition, since: lease[partition]) && !leaving.contains(partition)
  }

  /// Takes what the database says of it; says which partitions are new and which are lost.
  ///
  /// - Parameter start: when the database was asked.
  mutating func take(_ holding: EventStore.Holding, since start: ContinuousClock.Instant) -> (
    new: Set<Int>, lost: Set<Int>
  ) {
    isShort = holding.isShort
    elsewhere = Set(holding.elsewhere)
    trustedUntil = start + .seconds(seconds - 1)
    nextLook = start + .seconds(seconds) / (isShort ? 9 : 3)
    let new = Set(holding.lease.keys.filter { held[$0] != holding.lease[$0] })
    let lost = Set(held.keys.filter { holding.lease[$0] != held[$0] })
    held = holding.lease
    // One that has begun to leave goes on to do so: its events have been forgotten.
    leaving = leaving.union(held.keys.sorted().dropFirst(holding.share)).intersection(held.keys).subtracting(new)
    return (new, lost)
  }

  /// The partitions were given back.
  mutating func released(_ partitions: Set<Int>) {
    for partition in partitions { held[partition] = nil }
    leaving.subtract(partitions)
  }
}
