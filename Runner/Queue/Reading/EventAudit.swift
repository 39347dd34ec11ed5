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

  /// What to look at.
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
  /// What is looked at: a page of each partition, then the suspects.
  private var asked: (pages: [Range], suspects: [Range]) = ([], [])
  private var lastLook: ContinuousClock.Instant
  private(set) var nextLook: ContinuousClock.Instant

  init(now: ContinuousClock.Instant) {
    (lastLook, nextLook) = (now, now + Self.interval)
  }

  /// What to look at now.
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
