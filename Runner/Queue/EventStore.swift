import FunctionKit
package import Manifest
package import Postgres

/// The statements of the queue: what has ended is settled and what waits is read in one round trip and one commit.
package struct EventStore: Sendable {
  /// A connection for it; the session must be its own.
  ///
  /// The planner is told to walk indexes whatever it believes of the tables, whose sizes change faster than statistics.
  package static func connection(_ url: String) -> Connection {
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
  package let holder: Int
  /// For people: where this runner runs.
  let name: String
  /// How long lanes stay a runner's that is not heard of, in seconds.
  let leaseSeconds: Int
  var history: History
  /// What this runner's functions are in common with those of others that share its lanes.
  var group: String

  package init(
    database: Connection, owner: String, holder: Int, name: String, leaseSeconds: Int, history: History,
    group: String = ""
  ) {
    (self.database, self.owner, self.holder, self.name) = (database, owner, holder, name)
    (self.leaseSeconds, self.history, self.group) = (leaseSeconds, history, group)
  }

  /// The SQLSTATE when a runner of another group has one of the functions.
  package static let groupConflict = "RU002"

  /// The lanes that this runner holds, with the epoch under which it holds each.
  package typealias Lease = [Int: Int64]

  /// Says that this runner lives with these functions, and takes lanes up to its share.
  ///
  /// - Returns: all lanes that it holds now, how many its share is, and the functions of runners of other groups.
  package func hold(_ functions: [String] = []) async throws(PostgresError) -> (
    lease: Lease, share: Int, elsewhere: [String]
  ) {
    let rows = try await database.query(
      """
      SELECT lane, epoch, share, elsewhere FROM runner.hold(\(owner)::uuid, \(holder)::int, \(name),
        make_interval(secs => \(leaseSeconds)), \(group), \(functions)::text[])
      """)
    var (lease, share, elsewhere): (Lease, Int, [String]) = ([:], 16, [])
    for row in rows {
      (share, elsewhere) = (try row.decode("share"), try row.decode("elsewhere"))
      if let lane: Int = try row.optional("lane") { lease[lane] = try row.decode("epoch", as: Int64.self) }
    }
    return (lease, share, elsewhere)
  }

  /// Has the other runners look at once which lanes are theirs: this one has too few.
  func askForLanes() async throws(PostgresError) {
    _ = try await database.query("SELECT \(ControlWord.lanes.notify)")
  }

  /// Gives lanes back, so that another runner need not wait.
  package func release(_ lanes: Set<Int>) async throws(PostgresError) {
    _ = try await database.query(
      "SELECT runner.release(\(owner)::uuid, \(Array(lanes))::smallint[]), \(ControlWord.lanes.notify)")
  }

  /// Gives everything back: this runner ends.
  package func leave() async throws(PostgresError) {
    _ = try await database.query("SELECT runner.release(\(owner)::uuid), \(ControlWord.lanes.notify)")
  }

  /// Makes the partitions of the coming days and drops those that are over.
  package func rotate() async throws(PostgresError) {
    _ = try await database.query("SELECT runner.rotate(\(history.days)::int, \(history.payloadHours)::int)")
  }

  /// The failed events that hold their keys, of functions whose failures do.
  func blockers(_ functions: [String], lanes: [Int]) async throws(PostgresError) -> [Blocker] {
    let rows = try await database.query(
      """
      SELECT function, key, lane, id FROM runner.retries
      WHERE key IS NOT NULL AND function = ANY (\(functions)) AND lane = ANY (\(lanes)::smallint[])
      UNION ALL
      SELECT function, key, lane, id FROM runner.dead_letters
      WHERE key IS NOT NULL AND function = ANY (\(functions)) AND lane = ANY (\(lanes)::smallint[])
      """)
    return try rows.map { row throws(PostgresError) in
      Blocker(
        function: try row.decode(at: 0), key: try row.decode(at: 1), lane: try row.decode(at: 2),
        id: try row.decode(at: 3))
    }
  }

  /// A failed event that holds its key.
  struct Blocker: Sendable {
    var function: String
    var key: String
    var lane: Int
    var id: Int64
  }
}
