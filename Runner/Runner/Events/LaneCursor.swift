/// How far one lane has been read, and which ids below that are still missing.
///
/// Ids are drawn in order but commit in any order: an id that is not there yet may come later. A writer has its
/// transaction number before it draws an id, so whoever drew a missing id was running, or had ended, when a snapshot
/// showed a higher one; once every transaction of that time that can have drawn in this lane has ended, what is missing
/// still was rolled back. Pure: it is told what a read saw.
struct LaneCursor: Equatable {
  /// Ids that were missing below one that was seen.
  struct Hole: Equatable {
    var ids: ClosedRange<Int64>
    /// The snapshot's xmax when the hole was first seen.
    var seenAt: Int64
  }

  /// The highest id that was seen.
  private(set) var last: Int64 = 0
  private(set) var holes: [Hole] = []

  /// Takes what one statement saw.
  ///
  /// - Parameters:
  ///   - ids: ids that were seen for the first time, in any order: above ``last``, or inside holes.
  ///   - xmin: the statement's snapshot: every transaction below has ended.
  ///   - xmax: the statement's snapshot: no transaction from here on is visible.
  ///   - oldestDrawer: the oldest transaction that had drawn an id of this lane and had not ended, shortly before the
  ///     statement; `.max` where there was none, `nil` where that is not known.
  mutating func saw(_ ids: [Int64], xmin: Int64, xmax: Int64, oldestDrawer: Int64? = nil) {
    let ids = ids.sorted()
    let new = ids.drop { $0 <= last }
    for id in ids[..<new.startIndex] { fill(id) }
    if !holes.isEmpty { holes.removeAll { $0.seenAt <= max(xmin, oldestDrawer ?? xmin) } }
    for id in new {
      if id > last + 1, xmax > xmin { holes.append(Hole(ids: last + 1...id - 1, seenAt: xmax)) }
      last = id
    }
  }

  private mutating func fill(_ id: Int64) {
    guard let index = holes.firstIndex(where: { $0.ids.contains(id) }) else { return }
    let hole = holes.remove(at: index)
    let below = hole.ids.lowerBound..<id
    let above = hole.ids.upperBound > id ? id + 1...hole.ids.upperBound : nil
    if let above { holes.insert(Hole(ids: above, seenAt: hole.seenAt), at: index) }
    if !below.isEmpty { holes.insert(Hole(ids: below.lowerBound...id - 1, seenAt: hole.seenAt), at: index) }
  }
}
