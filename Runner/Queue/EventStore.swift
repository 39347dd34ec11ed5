import Capture
import FoundationEssentials
import FunctionKit
import Manifest
import Postgres

/// The statements of the queue: what has ended is settled and what waits is read in one round trip and one commit.
struct EventStore: Sendable {
  /// A connection for it; the session must be its own.
  ///
  /// The planner is told to walk indexes whatever it believes of the tables, whose sizes change faster than statistics.
  static func connection(_ url: String) -> Connection {
    Connection(
      url: url, applicationName: "runner events", statementTimeout: .seconds(8), idleInTransactionTimeout: .seconds(10),
      parameters: [
        ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"), ("enable_bitmapscan", "off"),
        ("enable_hashjoin", "off"),
        ("enable_mergejoin", "off"), ("max_parallel_workers_per_gather", "0"), ("jit", "off"),
      ])
  }

  let database: Connection
  let owner: String
  /// This runner's number, which its listening session holds locked.
  let holder: Int
  /// For people: where this runner runs.
  let name: String
  /// How long the partitions of a runner that is not heard of stay its own, in seconds.
  let leaseSeconds: Int
  var history: History
  /// The id of the set of functions, which is that of all runners that share its partitions.
  var group: String

  init(
    database: Connection, owner: String, holder: Int, name: String, leaseSeconds: Int, history: History,
    group: String = ""
  ) {
    (self.database, self.owner, self.holder, self.name) = (database, owner, holder, name)
    (self.leaseSeconds, self.history, self.group) = (leaseSeconds, history, group)
  }

  /// The SQLSTATE when a runner of another group has one of the functions.
  static let groupConflict = "RU002"

  /// The partitions that this runner holds, with the epoch under which it holds each.
  typealias Lease = [Int: Int64]

  /// The partitions that this runner holds, and the number that it may hold.
  struct Holding: Sendable {
    var lease: Lease = [:]
    /// How many partitions are its share.
    var share = 1
    /// The functions of runners of other groups.
    var elsewhere: [String] = []
    /// The database's time, without the offset of a virtual clock.
    var time: Date?

    var isShort: Bool { lease.count < share }
  }

  /// Says that this runner lives with these functions, and takes partitions up to its share.
  ///
  /// - Parameter asksOthers: whether the other runners are asked, where it has too few, to look which are theirs.
  func hold(
    _ functions: [String] = [], asksOthers: Bool = false
  ) async throws(PostgresError) -> Holding {
    let rows = try await database.query(
      """
      SELECT partition, epoch, share, elsewhere, clock_timestamp() AS time FROM runner.hold(\(owner)::uuid, \(holder)::int, \(name),
        make_interval(secs => \(leaseSeconds)), \(group), \(functions)::text[])
      """)
    var holding = Holding()
    for row in rows {
      (holding.share, holding.elsewhere) = (try row.decode("share"), try row.decode("elsewhere"))
      holding.time = try row.decode("time")
      if let partition: Int = try row.optional("partition") {
        holding.lease[partition] = try row.decode("epoch", as: Int64.self)
      }
    }
    if asksOthers, holding.isShort { _ = try await database.query("SELECT \(ControlWord.partitions.notify)") }
    return holding
  }

  /// Gives partitions back, so that another runner need not wait.
  func release(_ partitions: Set<Int>) async throws(PostgresError) {
    _ = try await database.query(
      """
      SELECT runner.release(\(owner)::uuid, \(Array(partitions))::smallint[]), \(ControlWord.partitions.notify)
      """)
  }

  /// Gives everything back: this runner ends.
  func leave() async throws(PostgresError) {
    _ = try await database.query("SELECT runner.release(\(owner)::uuid), \(ControlWord.partitions.notify)")
  }

  /// Makes the tables of the coming days and drops those that are over.
  func rotate() async throws(PostgresError) {
    _ = try await database.query("SELECT runner.rotate(\(history.days)::int, \(history.payloadHours)::int)")
  }

  /// The failed events that hold their keys, of functions whose failures do.
  func blockers(_ functions: [String], partitions: [Int]) async throws(PostgresError) -> [Blocker] {
    let rows = try await database.query(
      """
      SELECT function, key, partition, id FROM runner.retries
      WHERE key IS NOT NULL AND function = ANY (\(functions)) AND partition = ANY (\(partitions)::smallint[])
      UNION ALL
      SELECT function, key, partition, id FROM runner.dead_letters
      WHERE key IS NOT NULL AND function = ANY (\(functions)) AND partition = ANY (\(partitions)::smallint[])
      """)
    return try rows.map { row throws(PostgresError) in
      Blocker(
        function: try row.decode(at: 0), key: try row.decode(at: 1), partition: try row.decode(at: 2),
        id: try row.decode(at: 3))
    }
  }

  /// A failed event that holds its key.
  struct Blocker: Sendable {
    var function: String
    var key: String
    var partition: Int
    var id: Int64
  }
}

extension EventStore {
  /// Joins the other runners of the queue, before anything runs.
  ///
  /// First it takes the lock of the listening session, which shows other runners that this one lives.
  ///
  /// - Throws: `FunctionError` while another runner has some of these functions together with other ones.
  func join(_ functions: [String], listening listener: Connection) async throws {
    _ = try await listener.query("SELECT pg_try_advisory_lock(\(AdvisoryLock.life), \(holder)::int)")
    do throws(PostgresError) {
      _ = try await hold(functions)
    } catch {
      guard error.sqlState == Self.groupConflict else { throw error }
      throw FunctionError(
        .unavailable,
        """
        Another runner on this database has some of these functions and others besides: \(error.message). Divide them \
        by --only and --except, or start all runners with the same ones.
        """, cause: error)
    }
  }
}
