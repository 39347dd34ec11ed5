@testable import Queue

extension CursorModel {
  /// Everything of a state that counts.
  ///
  /// For transaction numbers only the order counts, and whether one is next to `latestCompleted`; a number above that
  /// belongs to a transaction that still runs. So the places of the numbers that are still of interest stand for them.
  /// Writers with the same choices are alike.
  var key: [UInt64] {
    var live: [Int64] = [database.latestCompleted]
    for writer in database.writers where writer.phase != .ended { live += [writer.number, writer.subnumber] }
    live += cursor.holes.compactMap(\.bound)
    live += database.readers
    if let allocator = poll?.oldestAllocator, allocator != .max { live.append(allocator) }
    live.sort()
    var places: [Int64] = []
    for number in live where number != 0 && number != places.last { places.append(number) }
    func place(_ number: Int64) -> UInt64 {
      number == .max ? 255 : UInt64(places.firstIndex(of: number).map { $0 + 1 } ?? 0)
    }
    var key = database.writers.map { writer -> UInt64 in
      let isOver = writer.phase == .ended
      let choices = UInt64(writer.drawsLeft) << 2 | UInt64(writer.savepointsLeft) << 4
      let flags: UInt64 = (writer.commits ? 1 : 0) | (writer.isInSavepoint ? 2 : 0) | (writer.holdsSequence ? 4 : 0)
      let ids = isOver && !writer.commits ? 0 : UInt64(writer.drawn.bits) << 16 | UInt64(writer.inSavepoint.bits)
      let numbers = isOver ? 0 : place(writer.number) << 8 | place(writer.subnumber)
      return ids << 32 | numbers << 16 | (isOver ? flags & 1 : flags | choices << 3) << 4
        | UInt64(writer.phase.rawValue)
    }
    key.sort()
    key.append(place(database.latestCompleted) << 32 | UInt64(database.nextID) << 16 | UInt64(read.bits))
    var reader = place(poll?.own ?? 0) << 16 | UInt64(cursor.last) | UInt64(backlog.bits) << 48
    if fault != nil { reader |= 1 << 43 }
    if let poll {
      reader |= (poll.asksForAllocators ? 1 : 0) << 40 | (poll.readsHoles ? 1 : 0) << 41 | 1 << 42
      reader |= (poll.oldestAllocator.map { place($0) + 1 } ?? 0) << 24
    }
    key.append(reader)
    if let seen = poll?.seen { key.append(UInt64(seen.xmax) << 32 | UInt64(seen.xmin) << 16 | UInt64(seen.rows.bits)) }
    for hole in cursor.holes {
      let ids = UInt64(hole.ids.lowerBound) << 8 | UInt64(hole.ids.upperBound)
      key.append(ids << 32 | (hole.bound.map { place($0) + 1 } ?? 0))
    }
    return key
  }
}
