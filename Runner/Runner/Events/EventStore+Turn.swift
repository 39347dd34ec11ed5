import Postgres

extension EventStore {
  /// What one turn is to do.
  struct Order: Sendable {
    var lease: Lease
    var ended: [EndedAttempt] = []
    /// The lanes to read, with how far each has been read; empty where nothing is read.
    var cursors: [Int: LaneCursor] = [:]
    /// Whether what is new is read as well, or only what had been left.
    var readsNew = true
    /// Functions whose events are only counted, because there is no room for them.
    var full: [String] = []
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
    /// Every transaction below has ended.
    var xmin: Int64 = 0
    /// No transaction from here on was visible.
    var xmax: Int64 = 0
    /// Of lanes with open draws, the oldest transaction that has drawn an id.
    var drawers: [Int: Int64]?
    var lanesWithBell: Set<Int> = []
    /// The server's process that answered; another one than before means that the session was lost in between.
    var session: Int?
  }

  struct Arrival: Sendable {
    var place: QueuedEvent.Place
    var function: String
    var isLate: Bool
    var event: QueuedEvent?
  }

  struct Loaded: Sendable {
    var events: [QueuedEvent] = []
    /// Up to here nothing is left.
    var through: Int64
  }

  /// How many events one reading brings of each lane.
  static let batch = 300
  /// Larger bodies, in bytes as they are stored, are read alone.
  static let smallBody = 32_768
  /// So many bytes of what had been left are read at once.
  static let mostLeftBytes = 4 << 20

  /// Settles what has ended and reads what waits: all or nothing.
  ///
  /// - Throws: SQLSTATE `RU001` when a lane has gone to another runner: nothing was settled.
  func turn(_ order: Order) async throws(PostgresError) -> Answer {
    var statements: [SQL] = []
    if !order.ended.isEmpty {
      let lanes = order.lease.keys.sorted()
      statements.append("SELECT set_config('synchronous_commit', 'off', true)")
      statements.append(
        """
        SELECT runner.fence(\(owner)::uuid, \(lanes)::smallint[], \(lanes.map { order.lease[$0] ?? 0 })::bigint[])
        """)
      statements += settlements(order.ended)
    }
    let settled = statements.count
    statements += order.bell.statements
    if !order.cursors.isEmpty {
      let lanes = order.cursors.keys.sorted()
      if order.readsNew {
        if order.asksForDrawers { statements.append(Self.drawers(lanes)) }
        statements.append(reading(lanes, order.cursors, except: order.full))
      }
      if !order.left.isEmpty { statements.append(reading(order.left)) }
      if !order.retried.isEmpty { statements.append(dueRetries(lanes, order.retried, except: order.retrying)) }
    }
    return Answer(order: order, results: Array(try await database.pipeline(statements)[settled...]))
  }

  /// What the database said to an order, not yet read.
  struct Answer: Sendable {
    let order: Order
    fileprivate let results: [Rows]
  }

  /// The ids that are new, by their lanes, and the snapshot in which they were; `nil` where nothing was read.
  ///
  /// It is all that the next order needs.
  static func ids(_ answer: Answer) throws(PostgresError) -> (ids: [Int: [Int64]], xmin: Int64, xmax: Int64)? {
    let first = answer.order.bell.statements.count + (answer.order.asksForDrawers ? 1 : 0)
    guard !answer.order.cursors.isEmpty, answer.order.readsNew, first < answer.results.count,
      let row = answer.results[first].first
    else {
      return nil
    }
    var ids: [Int: [Int64]] = [:]
    if row.withUTF8(at: 4, { _ in true }) != nil {
      for row in answer.results[first] { ids[try row.decode(at: 4), default: []].append(try row.decode(at: 5)) }
    }
    return (ids, try row.decode(at: 0), try row.decode(at: 1))
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
    if order.readsNew, let rows = results.popFirst() { try take(rows, &reading) }
    if !order.left.isEmpty, let rows = results.popFirst() { reading.loaded = try loaded(order.left, rows) }
    if !order.retried.isEmpty, let rows = results.popFirst() {
      for row in rows {
        let dueIn: Double = try row.decode(at: 0)
        guard dueIn <= 0 else {
          reading.nextRetry = dueIn
          break
        }
        if let event = try QueuedEvent(row, at: 1, table: .retries) { reading.retries.append(event) }
      }
    }
    return reading
  }

  private static func take(_ rows: Rows, _ reading: inout Reading) throws(PostgresError) {
    guard let first = rows.first else { return }
    (reading.xmin, reading.xmax) = (try first.decode(at: 0), try first.decode(at: 1))
    reading.session = try first.decode(at: 2)
    guard first.withUTF8(at: 4, { _ in true }) != nil else { return }
    // What comes late is older than what is new of its key, and may have been committed before that was begun.
    var new: [Arrival] = []
    new.reserveCapacity(rows.count)
    for row in rows {
      let arrival = Arrival(
        place: .init(lane: try row.decode(at: 4), id: try row.decode(at: 5), table: .events),
        function: try row.decode(at: 6), isLate: try row.decode(at: 3),
        event: try QueuedEvent(row, at: 4, table: .events))
      if arrival.isLate { reading.arrivals.append(arrival) } else { new.append(arrival) }
    }
    reading.arrivals += new
  }

  /// Rows whose body was beyond the limit of bytes are left for the next time.
  private static func loaded(_ left: [Left], _ rows: Rows) throws(PostgresError) -> [Loaded] {
    var loaded = left.map { Loaded(through: $0.unread.through) }
    var isCut = [Bool](repeating: false, count: left.count)
    for row in rows {
      let range = try row.decode(at: 0, as: Int.self) - 1
      guard !isCut[range] else { continue }
      if let event = try QueuedEvent(row, at: 1, table: .events) {
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
