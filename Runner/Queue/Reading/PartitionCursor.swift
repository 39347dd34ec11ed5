/// How far one partition has been read, and which ids below that are still missing.
///
/// Ids are drawn in order but commit in any order: an id that is missing below one that was read may still come. Every
/// such id is a hole. A writer has its transaction number before it draws an id, so the writer of a missing id has a
/// lower number than any that is assigned after the reading. Such a number is the hole's bound. When every transaction
/// below the bound that can have drawn in this partition has ended, an id that is still missing was rolled back. A snapshot
/// alone proves nothing: its xmax is one past the highest transaction that has *ended*, and a running one can be above.
/// Pure: it is told what a poll saw.
struct PartitionCursor: Hashable {
  /// Ids that were missing below one that was read.
  struct Hole: Hashable {
    var ids: ClosedRange<Int64>
    /// Above every transaction that can fill it; `nil` until a number was assigned after the hole was seen.
    var bound: Int64?

    /// Whether one reading may not be enough for all events of the hole.
    ///
    /// - Parameter most: the largest number of events that a reading takes from one hole.
    func exceeds(_ most: Int) -> Bool { ids.count > most }
  }

  /// The transactions that a poll knew when it read.
  struct Horizon: Equatable, Sendable {
    /// The poll's own transaction number, assigned before it read; `nil` where it had none.
    var own: Int64?
    /// The reading's snapshot: every transaction below has ended, and what it committed was seen.
    var xmin: Int64
    /// The oldest transaction that had drawn an id of this partition and had not ended, found out after `own` was assigned
    /// and before the reading; `.max` where there was none, `nil` where that was not asked.
    var oldestAllocator: Int64?
  }

  /// The highest id that was read.
  private(set) var last: Int64 = 0
  private(set) var holes: [Hole] = []

  /// Whether a hole waits for a transaction number as its bound.
  var needsNumber: Bool { holes.contains { $0.bound == nil } }

  /// Whether a later poll reads an id: it is above all that were read, or in a hole.
  func brings(_ id: Int64) -> Bool { id > last || holes.contains { $0.ids.contains(id) } }

  /// The last id of a reading that has left the rest of a hole; `nil` where it has come to the end of each.
  ///
  /// The rows above are newer than those that it has left.
  /// - Parameters:
  ///   - late: the ids that it brings from holes.
  ///   - most: how many it brings from each hole at most.
  func end(ofReading late: [Int64], most: Int) -> Int64? {
    let ends = holes.filter { $0.exceeds(most) }.compactMap { hole -> Int64? in
      let found = late.filter { hole.ids.contains($0) }
      guard found.count >= most, let last = found.max(), last < hole.ids.upperBound else { return nil }
      return last
    }
    return ends.min()
  }

  /// Takes what one poll read.
  ///
  /// - Parameters:
  ///   - ids: ids that were read for the first time, in any order: above ``last``, or inside holes.
  ///   - left: ranges, apart from each other, of ids in holes whose rows were not taken, or that were not read.
  ///   - readsHoles: whether the poll looked into the holes that are known.
  mutating func saw(
    _ ids: [Int64], left: [ClosedRange<Int64>] = [], readsHoles: Bool = true, _ horizon: Horizon
  ) {
    for index in holes.indices where holes[index].bound == nil { holes[index].bound = horizon.own }
    let ids = ids.sorted()
    let new = ids.drop { $0 <= last }
    for id in ids[..<new.startIndex] { fill(id) }
    if readsHoles, !holes.isEmpty { close(horizon, left) }
    for id in new {
      if id > last + 1 { holes.append(Hole(ids: last + 1...id - 1)) }
      last = id
    }
  }

  /// Has an id that was passed by be read again.
  mutating func miss(_ id: Int64) {
    guard id <= last, !holes.contains(where: { $0.ids.contains(id) }) else { return }
    holes.append(Hole(ids: id...id))
  }

  /// Removes the holes that nobody can fill any more, but for what was left in them.
  private mutating func close(_ horizon: Horizon, _ left: [ClosedRange<Int64>]) {
    let ended = max(horizon.xmin, horizon.oldestAllocator ?? .min)
    holes = holes.flatMap { hole in
      guard horizon.oldestAllocator == .max || hole.bound.map({ $0 <= ended }) ?? false else { return [hole] }
      return left.filter { hole.ids.overlaps($0) }.map { Hole(ids: $0.clamped(to: hole.ids), bound: hole.bound) }
    }
  }

  private mutating func fill(_ id: Int64) {
    guard let index = holes.firstIndex(where: { $0.ids.contains(id) }) else { return }
    let hole = holes.remove(at: index)
    if id < hole.ids.upperBound {
      holes.insert(Hole(ids: id + 1...hole.ids.upperBound, bound: hole.bound), at: index)
    }
    if id > hole.ids.lowerBound {
      holes.insert(Hole(ids: hole.ids.lowerBound...id - 1, bound: hole.bound), at: index)
    }
  }
}

extension [Int: PartitionCursor] {
  /// The partitions in which ids are missing.
  var withHoles: Set<Int> { Set(filter { !$0.value.holes.isEmpty }.keys) }
}
