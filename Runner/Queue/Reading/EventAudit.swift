import Postgres

/// A second net below the cursors: looks for events that a cursor has passed by and nobody has in hand.
///
/// It should never find one. It goes through the oldest events of each partition, a page at a time. An event that is
/// neither in memory nor left to the database on purpose is a suspect; if it still is at a later look, it was passed
/// by. Pure: it is told what a look found.
struct EventAudit {
  /// The pauses between looks: as a rule, under load, where every look costs, and after a suspect was found.
  static let (interval, loadInterval, suspectInterval) = (
    Duration.seconds(5), Duration.seconds(30), Duration.seconds(2)
  )
  /// Somebody who asks has a look at most this often.
  static let shortest = Duration.seconds(1)
  /// How many events of each partition are looked at.
  static let page = 250

  /// Ids of one partition to look at: above the first, up to the last.
  struct Range: Equatable, Sendable {
    var partition: Int
    var after: Int64
    var through: Int64
  }

  /// The question of one look.
  ///
  /// Only the session that read last is asked: after a loss of it everything is read again.
  struct Request {
    var ranges: [Range]
    var session: Int
    var lease: EventStore.Lease
  }

  /// An event that waits in the database.
  struct Seen: Sendable {
    var place: QueuedEvent.Place
    var function: String
    var key: String?
  }

  /// Events that nobody has in hand, since when.
  private(set) var suspects: [QueuedEvent.Place: ContinuousClock.Instant] = [:]
  private var pages: [Int: Int64] = [:]
  /// The ranges of the present look: a page of each partition, then the suspects.
  private var asked: (pages: [Range], suspects: [Range]) = ([], [])
  private var lastLook: ContinuousClock.Instant
  private(set) var nextLook: ContinuousClock.Instant

  init(now: ContinuousClock.Instant) {
    (lastLook, nextLook) = (now, now + Self.interval)
  }

  /// The ranges to look at now.
  ///
  /// - Parameter lasts: how far each partition has been read.
  mutating func ranges(_ lasts: [Int: Int64]) -> [Range] {
    suspects = suspects.filter { lasts[$0.key.partition] != nil }
    asked.pages = lasts.sorted { $0.key < $1.key }.map { Range(partition: $0, after: pages[$0] ?? 0, through: $1) }
    asked.suspects = suspects.keys.map { Range(partition: $0.partition, after: $0.id - 1, through: $0.id) }
    return asked.pages + asked.suspects
  }

  /// Takes what stands in the ranges that were asked for, a list for each.
  ///
  /// - Parameter isKnown: whether an event is in memory, runs, or was left to the database on purpose.
  /// - Returns: the events that were passed by.
  mutating func found(
    _ found: [[Seen]], isUnderLoad: Bool, now: ContinuousClock.Instant, isKnown: (Seen) -> Bool
  ) -> [Seen] {
    for (range, events) in zip(asked.pages, found) {
      pages[range.partition] = events.count == Self.page ? events.last?.place.id : nil
    }
    var (passedBy, unknown): ([Seen], [QueuedEvent.Place: ContinuousClock.Instant]) = ([], [:])
    for event in found.joined() where unknown[event.place] == nil && !isKnown(event) {
      unknown[event.place] = suspects[event.place] ?? now
      if let since = suspects[event.place], now - since >= Self.suspectInterval { passedBy.append(event) }
    }
    suspects = unknown
    for event in passedBy { suspects[event.place] = nil }
    lastLook = now
    nextLook = now + (suspects.isEmpty ? isUnderLoad ? Self.loadInterval : Self.interval : Self.suspectInterval)
    return passedBy
  }

  /// Somebody wants to know.
  mutating func lookSoon() { nextLook = min(nextLook, lastLook + Self.shortest) }

  /// A look failed, or what it found says nothing: the server may have forgotten what was settled in an earlier session.
  mutating func failed(now: ContinuousClock.Instant) { (suspects, nextLook) = ([:], now + Self.interval) }
}

extension EventStore {
  /// The first events of each range that wait in the database, of partitions that are still this runner's.
  ///
  /// - Parameter session: the only session of the database in which it may look.
  func waiting(in ranges: [EventAudit.Range], session: Int) async throws(PostgresError) -> [[EventAudit.Seen]] {
    let looked: SQL = .rows(
      "r",
      [
        "partition": "\(ranges.map(\.partition))::smallint[]", "after": "\(ranges.map(\.after))::bigint[]",
        "through": "\(ranges.map(\.through))::bigint[]",
      ], numbered: "range")
    let looking: SQL = """
      SELECT r.range, e.partition, e.id, e.function, e.key
      FROM \(looked)
      JOIN runner.leases AS l ON l.partition = r.partition AND l.owner = \(owner)::uuid
      CROSS JOIN LATERAL (
        SELECT e.partition, e.id, e.function, e.key FROM runner.events AS e
        WHERE e.partition = r.partition AND e.id > r.after AND e.id <= r.through ORDER BY e.id
        LIMIT \(unescaped: "\(EventAudit.page)")
      ) AS e
      """
    var found = [[EventAudit.Seen]](repeating: [], count: ranges.count)
    for row in try await database.pipeline([looking], in: session).rows[0] {
      found[try row.decode(at: 0, as: Int.self) - 1].append(
        EventAudit.Seen(
          place: .init(partition: try row.decode(at: 1), id: try row.decode(at: 2), table: .events),
          function: try row.decode(at: 3), key: try row.decode(at: 4)))
    }
    return found
  }
}

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
