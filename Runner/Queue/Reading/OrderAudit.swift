/// Counts events that were taken into their key's line after a newer one, although that one's poll could see them.
///
/// It should never count one. Only an event that comes late, out of a hole, can have been passed by. So while ids of a
/// partition are missing, the newest event of each key that was taken is remembered, with the `xmin` of its poll: every
/// transaction with a lower number had ended when it was read. A late event with a lower id whose row has such a number
/// was committed by then, and had to come first. That holds whether the two transactions overlap or not.
///
/// It gives no false alarm:
/// - The number in a row may be that of a subtransaction, which is higher than its transaction's. Where it is below `xmin`,
///   the transaction's own is, too, and has ended with everything in it. One at or above `xmin` proves nothing.
/// - A row has the lower half of a number. Two numbers are less than 2^31 apart, so the difference of these halves tells
///   which is higher; of a row that has waited for longer it tells nothing, or that it is older.
/// - What was read and left in the database is not taken. It keeps its place in its key's line.
///
/// It is a sample: events that were taken while no ids were missing are not remembered, and of many keys only some. Pure:
/// it is told what a poll brought.
struct OrderAudit {
  /// How many keys of a partition are remembered.
  static let mostKeys = 256

  private struct Key: Hashable {
    var function: String
    var key: String
  }

  private struct Taken {
    var id: Int64
    var xmin: Int64
  }

  /// The newest events, by partition; only partitions in which ids are missing are here.
  private var newest: [Int: [Key: Taken]] = [:]
  /// How many events it has found.
  private(set) var broken = 0

  /// Goes on with these partitions, in which ids are missing, and forgets others.
  mutating func follow(_ partitions: Set<Int>) {
    forget(Set(newest.keys).subtracting(partitions))
    for partition in partitions where newest[partition] == nil { newest[partition] = [:] }
  }

  /// Forgets partitions that are read from the beginning, or no longer.
  mutating func forget(_ partitions: Set<Int>) {
    for partition in partitions { newest[partition] = nil }
  }

  /// An event was taken into its key's line.
  ///
  /// - Parameters:
  ///   - writer: of a late event, the number in its row.
  ///   - xmin: of the poll that has brought it.
  /// - Returns: the id of a newer one that was taken before it, although this one could be seen.
  mutating func took(_ event: QueuedEvent, writtenBy writer: Int64?, xmin: Int64) -> Int64? {
    let (partition, id) = (event.place.partition, event.place.id)
    guard !newest.isEmpty, let name = event.key, let count = newest[partition]?.count else { return nil }
    let key = Key(function: event.function, key: name)
    let taken = newest[partition]?[key]
    if taken.map({ $0.id < id }) ?? (count < Self.mostKeys) { newest[partition]?[key] = Taken(id: id, xmin: xmin) }
    guard let taken, let writer, id < taken.id, Int32(truncatingIfNeeded: taken.xmin &- writer) > 0 else { return nil }
    broken += 1
    return taken.id
  }
}
