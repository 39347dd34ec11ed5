import Capture
import Postgres

/// What one poll settles and reads, in one round trip and one commit.
struct PollRequest: Sendable {
  var lease: EventStore.Lease
  /// The only session of the database in which it may be carried out; `nil` for any.
  var session: Int?
  var ended: [EndedAttempt] = []
  /// The partitions to read, with how far each has been read; empty where nothing is read.
  var cursors: [Int: PartitionCursor] = [:]
  /// Whether what is new is read as well, or only the backlog.
  var readsNew = true
  /// Whether the cursors' holes are looked into.
  var readsHoles = true
  /// The partitions from which the poll takes nothing, because it does not look into their holes.
  var withheld: Set<Int> = []
  /// Whether the poll must have a transaction number, assigned before it reads.
  var needsNumber = false
  /// The runner's functions: events of others are passed by; `nil` for all.
  var own: [String]?
  /// Functions whose new events are only counted, because there is no room for them.
  var full: [String] = []
  /// Functions that have no room for late events either; their events are not even read from a hole of more than a batch.
  var crowded: [String] = []
  /// What is read of the backlog.
  var backlog: [BacklogRange] = []
  /// Functions whose failed events may be tried again.
  var retried: [String] = []
  var retrying: [QueuedEvent.Place] = []
  /// Whether to find out which transactions can still fill holes.
  var asksForAllocators = false
  var gate = NotifyGate.Request()

  /// Whether the poll takes events from a partition.
  func brings(_ partition: Int) -> Bool { cursors[partition] != nil && !withheld.contains(partition) }
}

// How far it has read.
extension PollRequest {
  /// Leaves out of its answer what stands above the end of a reading that has left the rest of a hole: that comes first.
  ///
  /// - Returns: these ends, by partition.
  func cut(_ answer: inout PollAnswer) -> [Int: Int64] {
    let late = Dictionary(grouping: answer.newEvents.prefix { $0.isLate }.map(\.place), by: \.partition)
    var ends: [Int: Int64] = [:]
    for (partition, places) in late {
      ends[partition] = cursors[partition]?.end(ofReading: places.map(\.id), most: EventStore.batch)
    }
    guard !ends.isEmpty else { return [:] }
    answer.newEvents.removeAll { new in ends[new.place.partition].map { new.place.id > $0 } ?? false }
    return ends
  }

  /// The ids in holes that were not read, by partition.
  ///
  /// These are the ids above the end of a reading. In a hole of more than a batch, they are also the ids below it: the
  /// reading leaves out the events of functions without room.
  func unread(above ends: [Int: Int64]) -> [Int: [ClosedRange<Int64>]] {
    var unread = ends.mapValues { [$0 + 1...Int64.max] }
    guard !crowded.isEmpty else { return unread }
    for (partition, cursor) in cursors {
      let end = ends[partition] ?? .max
      for hole in cursor.holes where hole.exceeds(EventStore.batch) && hole.ids.lowerBound <= end {
        unread[partition, default: []].append(hole.ids.lowerBound...min(hole.ids.upperBound, end))
      }
    }
    return unread
  }
}

/// Ids of one function, or of one of its keys, whose events were left in the database.
struct BacklogRange: Sendable {
  var function: String
  var key: String?
  var partition: Int
  var backlog: Backlog
  /// How many events are read at most.
  var most: Int
}

/// A statement of a poll, with what its rows say: the poll's answer is read from the list that was asked.
struct PollStatement: Sendable {
  enum Content: Equatable, Sendable {
    case nothing
    /// The partitions whose locks were taken.
    case locked
    /// The oldest open transaction of each partition that has drawn an id.
    case openAllocators
    case newEvents
    case backlog
    case retries
  }

  let sql: SQL
  let content: Content

  init(_ sql: SQL, says content: Content = .nothing) {
    (self.sql, self.content) = (sql, content)
  }
}

extension EventStore {
  /// Settles what has ended and reads what waits: all or nothing.
  ///
  /// - Throws: SQLSTATE `RU001` when a partition has gone to another runner, ``PostgresError/Code/otherSession`` when the
  ///   session was lost: nothing was settled.
  func poll(_ request: PollRequest) async throws(PostgresError) -> PollReply {
    let statements = statements(request)
    let (rows, session) = try await database.pipeline(statements.map(\.sql), in: request.session)
    return PollReply(request: request, contents: statements.map(\.content), rows: rows, session: session)
  }

  private func statements(_ request: PollRequest) -> [PollStatement] {
    var statements = settling(request)
    if request.needsNumber { statements.append(PollStatement("SELECT pg_current_xact_id()")) }
    statements += request.gate.statements
    guard !request.cursors.isEmpty else { return statements }
    let partitions = request.cursors.keys.sorted()
    if request.readsNew {
      if request.asksForAllocators {
        statements.append(PollStatement(Self.openAllocators(partitions), says: .openAllocators))
      }
      statements.append(PollStatement(newEvents(partitions, request), says: .newEvents))
    }
    if !request.backlog.isEmpty { statements.append(PollStatement(backlog(request.backlog), says: .backlog)) }
    if !request.retried.isEmpty {
      let due = dueRetries(partitions, request.retried, except: request.retrying)
      statements.append(PollStatement(due, says: .retries))
    }
    return statements
  }

  private func settling(_ request: PollRequest) -> [PollStatement] {
    guard !request.ended.isEmpty else { return [] }
    let partitions = request.lease.keys.sorted()
    let fence: SQL = """
      SELECT runner.fence(\(owner)::uuid, \(partitions)::smallint[], \
      \(partitions.map { request.lease[$0] ?? 0 })::bigint[])
      """
    return
      (["SELECT set_config('synchronous_commit', 'off', true)", fence]
      + settlements(request.ended, in: request.session)).map { PollStatement($0) }
  }
}

extension NotifyGate.Request {
  var statements: [PollStatement] {
    // Before anything is read: a transaction that found a lock free is then one that the snapshot knows.
    (releases ? [PollStatement("SELECT pg_advisory_unlock_all()")] : [])
      + (takes.isEmpty
        ? []
        : [
          PollStatement(
            "SELECT p FROM unnest(\(takes)::int[]) AS p WHERE pg_try_advisory_lock(\(AdvisoryLock.sleep), p)",
            says: .locked)
        ])
  }
}
