import Postgres

extension EventStore {
  /// What one turn is to do.
  struct Order: Sendable {
    var lease: Lease
    /// The only session of the database in which it may be carried out; `nil` for any.
    var session: Int?
    var ended: [EndedAttempt] = []
    /// The lanes to read, with how far each has been read; empty where nothing is read.
    var cursors: [Int: LaneCursor] = [:]
    /// Whether what is new is read as well, or only what had been left.
    var readsNew = true
    /// Whether the cursors' holes are looked into.
    var readsHoles = true
    /// Whether the turn must have a transaction number, assigned before it reads.
    var needsNumber = false
    /// The runner's functions: events of others are passed by; `nil` for all.
    var own: [String]?
    /// Functions whose events are only counted, because there is no room for them.
    var full: [String] = []
    /// Those of them that can take none of what comes late either.
    var crowded: [String] = []
    /// What had been left and is read now.
    var left: [Left] = []
    /// Functions whose failed events may be tried again.
    var retried: [String] = []
    var retrying: [QueuedEvent.Place] = []
    /// Whether to find out which transactions can still fill holes.
    var asksForDrawers = false
    var bell = Doorbell.Order()
  }

  /// A range of ids of one function, or of one of its keys.
  struct Left: Sendable {
    var function: String
    var key: String?
    var lane: Int
    var unread: Unread
    var most: Int
  }

  /// What one turn saw.
  struct Reading: Sendable {
    /// Of each row that is new, in the order of its lane, late ones first: the event, or its place where the body was
    /// left out.
    var arrivals: [Arrival] = []
    /// What was read of ``Order/left``, in the same order.
    var loaded: [Loaded] = []
    var retries: [QueuedEvent] = []
    /// Seconds until the next retry is due, where one waits.
    var nextRetry: Double?
    var snapshot = Snapshot()
    /// Of lanes with open draws, the oldest transaction that has drawn an id.
    var drawers: [Int: Int64]?
    var lanesWithBell: Set<Int> = []
  }

  /// What a reading knew of transactions.
  struct Snapshot: Sendable {
    /// Every transaction below has ended.
    var xmin: Int64 = 0
    /// The turn's own transaction number, assigned before it read.
    var own: Int64?
    /// Whether writers ring: the server allows no prepared transactions.
    var isRung = true
  }

  struct Arrival: Sendable {
    var place: QueuedEvent.Place
    var function: String
    /// Whether it stood in a hole.
    var isLate: Bool
    var event: QueuedEvent?
  }

  struct Loaded: Sendable {
    var events: [QueuedEvent] = []
    /// Up to here nothing is left.
    var through: Int64
  }

  /// How many events one reading brings of each lane, and of each hole.
  static let batch = 300
  /// Larger bodies, in bytes as they are stored, are read alone.
  static let smallBody = 32_768
  /// The most bytes of what had been left that are read at once.
  static let mostLeftBytes = 4 << 20

  /// Settles what has ended and reads what waits: all or nothing.
  ///
  /// - Throws: SQLSTATE `RU001` when a lane has gone to another runner, ``PostgresError/Code/otherSession`` when the session
  ///   was lost: nothing was settled.
  func turn(_ order: Order) async throws(PostgresError) -> Answer {
    var statements: [SQL] = []
    if !order.ended.isEmpty {
      let lanes = order.lease.keys.sorted()
      statements.append("SELECT set_config('synchronous_commit', 'off', true)")
      statements.append(
        """
        SELECT runner.fence(\(owner)::uuid, \(lanes)::smallint[], \(lanes.map { order.lease[$0] ?? 0 })::bigint[])
        """)
      statements += settlements(order.ended, in: order.session)
    }
    if order.needsNumber { statements.append("SELECT pg_current_xact_id()") }
    let settled = statements.count
    statements += order.bell.statements
    if !order.cursors.isEmpty {
      let lanes = order.cursors.keys.sorted()
      if order.readsNew {
        if order.asksForDrawers { statements.append(Self.drawers(lanes)) }
        statements.append(reading(lanes, order))
      }
      if !order.left.isEmpty { statements.append(reading(order.left)) }
      if !order.retried.isEmpty { statements.append(dueRetries(lanes, order.retried, except: order.retrying)) }
    }
    let answer = try await database.pipeline(statements, in: order.session)
    return Answer(order: order, session: answer.session, results: Array(answer.rows[settled...]))
  }

  /// What the database said to an order, not yet read.
  struct Answer: Sendable {
    let order: Order
    let session: Int
    fileprivate let results: [Rows]
  }

  /// The ids that are new, by their lanes, and the snapshot in which they were; `nil` where nothing was read.
  ///
  /// It is all that the next order needs.
  static func ids(_ answer: Answer) throws(PostgresError) -> (ids: [Int: [Int64]], snapshot: Snapshot)? {
    let first = answer.order.bell.statements.count + (answer.order.asksForDrawers ? 1 : 0)
    guard !answer.order.cursors.isEmpty, answer.order.readsNew, first < answer.results.count,
      let row = answer.results[first].first
    else {
      return nil
    }
    var ids: [Int: [Int64]] = [:]
    if row.withUTF8(at: event, { _ in true }) != nil {
      for row in answer.results[first] {
        ids[try row.decode(at: event), default: []].append(try row.decode(at: event + 1))
      }
    }
    return (ids, try snapshot(row))
  }

  /// Reads the whole answer.
  static func reading(_ answer: Answer) throws(PostgresError) -> Reading {
    let order = answer.order
    var results = answer.results[...]
    var reading = Reading()
    if !order.bell.statements.isEmpty {
      for rows in results.prefix(order.bell.statements.count) where rows.columns == ["rung"] {
        reading.lanesWithBell = Set(try rows.decode("rung", as: Int.self))
      }
      results = results.dropFirst(order.bell.statements.count)
    }
    guard !order.cursors.isEmpty else { return reading }
    if order.readsNew, order.asksForDrawers, let rows = results.popFirst() {
      var drawers: [Int: Int64] = [:]
      for row in rows { drawers[try row.decode(at: 0)] = try row.decode(at: 1, as: Int64.self) }
      reading.drawers = drawers
    }
    if order.readsNew, let rows = results.popFirst() { try take(rows, answer.session, &reading) }
    if !order.left.isEmpty, let rows = results.popFirst() {
      reading.loaded = try loaded(order.left, rows, answer.session)
    }
    if !order.retried.isEmpty, let rows = results.popFirst() {
      for row in rows {
        let dueIn: Double = try row.decode(at: 0)
        guard dueIn <= 0 else {
          reading.nextRetry = dueIn
          break
        }
        if let event = try QueuedEvent(row, at: 1, table: .retries, session: answer.session) {
          reading.retries.append(event)
        }
      }
    }
    return reading
  }

  /// Where the columns of the event begin, after those of the snapshot.
  private static let event = 4

  private static func snapshot(_ row: Row) throws(PostgresError) -> Snapshot {
    Snapshot(xmin: try row.decode(at: 0), own: try row.decode(at: 1), isRung: try row.decode(at: 2))
  }

  private static func take(_ rows: Rows, _ session: Int, _ reading: inout Reading) throws(PostgresError) {
    guard let first = rows.first else { return }
    reading.snapshot = try snapshot(first)
    guard first.withUTF8(at: event, { _ in true }) != nil else { return }
    // What comes late is older than what is new of its key, and may have been committed before that was begun.
    var new: [Arrival] = []
    new.reserveCapacity(rows.count)
    for row in rows {
      let arrival = Arrival(
        place: .init(lane: try row.decode(at: event), id: try row.decode(at: event + 1), table: .events),
        function: try row.decode(at: event + 2), isLate: try row.decode(at: event - 1),
        event: try QueuedEvent(row, at: event, table: .events, session: session))
      if arrival.isLate { reading.arrivals.append(arrival) } else { new.append(arrival) }
    }
    reading.arrivals += new
  }

  /// Rows whose body was beyond the limit of bytes are left for the next time.
  private static func loaded(_ left: [Left], _ rows: Rows, _ session: Int) throws(PostgresError) -> [Loaded] {
    var loaded = left.map { Loaded(through: $0.unread.through) }
    var isCut = [Bool](repeating: false, count: left.count)
    for row in rows {
      let range = try row.decode(at: 0, as: Int.self) - 1
      guard !isCut[range] else { continue }
      if let event = try QueuedEvent(row, at: 1, table: .events, session: session) {
        loaded[range].events.append(event)
      } else {
        isCut[range] = true
        loaded[range].through = loaded[range].events.last?.place.id ?? left[range].unread.after
      }
    }
    for (range, left) in left.enumerated() where !isCut[range] && loaded[range].events.count == left.most {
      loaded[range].through = loaded[range].events.last?.place.id ?? left.unread.through
    }
    return loaded
  }
}
