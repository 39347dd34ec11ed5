import Postgres

/// The database's answer to a poll, not yet read.
struct PollReply: Sendable {
  let request: PollRequest
  /// The meaning of the rows of each statement.
  let contents: [PollStatement.Content]
  let rows: [Rows]
  /// The session of the database that has answered.
  let session: Int

  /// The ids that are new, by their partitions, and the snapshot in which they were seen: all that the next request needs.
  struct Glance: Sendable {
    var ids: [Int: [Int64]] = [:]
    var snapshot: PollAnswer.Snapshot
  }

  /// Reads only the ids; `nil` where nothing new was asked for.
  func glance() throws(PostgresError) -> Glance? {
    guard let index = contents.firstIndex(of: .newEvents), let first = rows[index].first else { return nil }
    var glance = Glance(snapshot: try PollAnswer.Snapshot(first))
    guard first.hasEvent else { return glance }
    for row in rows[index] {
      glance.ids[try row.decode(at: Row.event), default: []].append(try row.decode(at: Row.event + 1))
    }
    return glance
  }

  /// Reads everything.
  func answer() throws(PostgresError) -> PollAnswer {
    var answer = PollAnswer()
    for (content, rows) in zip(contents, rows) {
      switch content {
      case .nothing: break
      case .locked: answer.locked = Set(try rows.decode("p", as: Int.self))
      case .openAllocators: answer.openAllocators = try Self.openAllocators(rows)
      case .newEvents: try takeNewEvents(rows, into: &answer)
      case .backlog: answer.backlog = try backlog(rows)
      case .retries: try takeRetries(rows, into: &answer)
      }
    }
    return answer
  }

  private static func openAllocators(_ rows: Rows) throws(PostgresError) -> [Int: Int64] {
    var allocators: [Int: Int64] = [:]
    for row in rows { allocators[try row.decode(at: 0)] = try row.decode(at: 1, as: Int64.self) }
    return allocators
  }

  private func takeNewEvents(_ rows: Rows, into answer: inout PollAnswer) throws(PostgresError) {
    guard let first = rows.first else { return }
    answer.snapshot = try PollAnswer.Snapshot(first)
    guard first.hasEvent else { return }
    // What comes late is older than what is new of its key, and may have been committed before that was begun. Holes come
    // in any order.
    var (late, new): ([NewEvent], [NewEvent]) = ([], [])
    new.reserveCapacity(rows.count)
    for row in rows {
      let event = NewEvent(
        place: .init(
          partition: try row.decode(at: Row.event), id: try row.decode(at: Row.event + 1), table: .events),
        function: try row.decode(at: Row.event + 2), writer: try row.decode(at: Row.event - 1),
        event: try QueuedEvent(row, at: Row.event, table: .events, session: session))
      if event.isLate { late.append(event) } else { new.append(event) }
    }
    answer.newEvents = late.sorted { $0.place.id < $1.place.id } + new
  }

  /// Rows whose body was beyond the limit of bytes are left for the next time.
  private func backlog(_ rows: Rows) throws(PostgresError) -> [ReadBacklog] {
    var read = request.backlog.map { ReadBacklog(through: $0.backlog.through) }
    var isCut = [Bool](repeating: false, count: read.count)
    for row in rows {
      let range = try row.decode(at: 0, as: Int.self) - 1
      guard !isCut[range] else { continue }
      if let event = try QueuedEvent(row, at: 1, table: .events, session: session) {
        read[range].events.append(event)
      } else {
        isCut[range] = true
        read[range].through = read[range].events.last?.place.id ?? request.backlog[range].backlog.after
      }
    }
    for (range, asked) in request.backlog.enumerated() where !isCut[range] && read[range].events.count == asked.most {
      read[range].through = read[range].events.last?.place.id ?? asked.backlog.through
    }
    return read
  }

  private func takeRetries(_ rows: Rows, into answer: inout PollAnswer) throws(PostgresError) {
    for row in rows {
      let dueIn: Double = try row.decode(at: 0)
      guard dueIn <= 0 else {
        answer.nextRetry = dueIn
        break
      }
      if let event = try QueuedEvent(row, at: 1, table: .retries, session: session) { answer.retries.append(event) }
    }
  }
}

extension Row {
  /// The first column of a new event, after those of the snapshot and of the writer, which a late event has.
  fileprivate static let event = 4

  fileprivate var hasEvent: Bool { withUTF8(at: Row.event, { _ in true }) != nil }
}

extension PollAnswer.Snapshot {
  fileprivate init(_ row: Row) throws(PostgresError) {
    self.init(xmin: try row.decode(at: 0), own: try row.decode(at: 1), isNotified: try row.decode(at: 2))
  }
}

/// The rows that one poll saw.
struct PollAnswer: Sendable {
  /// Every row that is new, in the order of its partition, late ones first.
  var newEvents: [NewEvent] = []
  /// The events of ``PollRequest/backlog`` that were read, in the same order.
  var backlog: [ReadBacklog] = []
  var retries: [QueuedEvent] = []
  /// Seconds until the next retry is due, where one waits.
  var nextRetry: Double?
  var snapshot = Snapshot()
  /// The oldest open transaction of each partition that has drawn an id; `nil` if that was not asked.
  var openAllocators: [Int: Int64]?
  /// The partitions whose notify locks were taken.
  var locked: Set<Int> = []

  /// The transactions that a reading knew.
  struct Snapshot: Sendable {
    /// Every transaction below has ended.
    var xmin: Int64 = 0
    /// The poll's own transaction number, assigned before it read.
    var own: Int64?
    /// Whether writers notify: the server allows no prepared transactions.
    var isNotified = true
  }
}

struct NewEvent: Sendable {
  var place: QueuedEvent.Place
  var function: String
  /// Where it stood in a hole, the number of the transaction, or subtransaction, that wrote its row: the lower 32 bits.
  var writer: Int64?
  /// `nil` where the body was left out.
  var event: QueuedEvent?

  var isLate: Bool { writer != nil }
}

/// The events of one range of the backlog that were read.
struct ReadBacklog: Sendable {
  var events: [QueuedEvent] = []
  /// Up to here nothing is left.
  var through: Int64
}
