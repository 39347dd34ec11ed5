@testable import Queue

/// The rule that lost events.
///
/// A hole is recorded only when the snapshot shows a running transaction, and closes when xmin has come to the xmax of
/// that time.
///
/// It takes xmax for one past the highest transaction that has *begun*. The explorer has to find what is wrong with it.
struct OldCursor: CursorRule {
  private(set) var last: Int64 = 0
  private(set) var holes: [PartitionCursor.Hole] = []

  let needsNumber = false

  func end(ofReading late: [Int64], most: Int) -> Int64? { nil }

  mutating func saw(
    _ ids: [Int64], left: [ClosedRange<Int64>], readsHoles: Bool, xmax: Int64, _ horizon: PartitionCursor.Horizon
  ) {
    for id in ids where id <= last {
      holes = holes.flatMap { hole in
        guard hole.ids.contains(id) else { return [hole] }
        let parts = [hole.ids.lowerBound..<id, id + 1..<hole.ids.upperBound + 1].filter { !$0.isEmpty }
        return parts.map { PartitionCursor.Hole(ids: ClosedRange($0), bound: hole.bound) }
      }
    }
    if readsHoles { holes.removeAll { $0.bound ?? 0 <= max(horizon.xmin, horizon.oldestAllocator ?? .min) } }
    for id in ids.sorted() where id > last {
      if id > last + 1, xmax > horizon.xmin { holes.append(.init(ids: last + 1...id - 1, bound: xmax)) }
      last = id
    }
  }
}
