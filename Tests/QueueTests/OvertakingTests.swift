import Postgres
import RunnerTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Queue

/// Two transactions: the younger draws the lower ids and commits last, forced step by step on a real server.
@Suite(.heavy)
struct OvertakingTests {
  /// The other transactions that write meanwhile.
  enum Neighbours: String, CaseIterable {
    /// Nobody: the younger transaction is at xmax itself.
    case none
    /// A transaction that begins after both and has ended when the runner reads: xmax is above them.
    case younger
    /// A transaction with a number above both that goes on.
    case open
    /// Writers of this and other tables, all the time.
    case writers
  }

  /// The way that the younger transaction goes.
  enum Late: String, CaseIterable {
    case plain = "INSERT INTO t VALUES (1, 'k')"
    case savepoint = "SAVEPOINT s; INSERT INTO t VALUES (1, 'k'); RELEASE s"
    case rolledBackSavepoint =
      "SAVEPOINT s; INSERT INTO t VALUES (9, 'k'); ROLLBACK TO s; INSERT INTO t VALUES (1, 'k')"
    case allPartitions = "INSERT INTO t SELECT i, 'k' || i FROM generate_series(1, 99) AS i"
  }

  private static let number: SQL = "SELECT pg_current_xact_id()"

  private func database(_ cluster: PrivateCluster, _ neighbours: Neighbours) async throws -> CapturingDatabase {
    try await CapturingDatabase(
      on: (cluster, "with_\(neighbours)"),
      tables: "CREATE TABLE t (id int PRIMARY KEY, k text); CREATE TABLE other (id serial)",
      functions: #""f": {"key": "k", "triggers": [{"table": "t", "events": ["INSERT"]}]}"#)
  }

  private func connections(_ database: CapturingDatabase) -> [Connection] {
    (0..<3).map { Connection(url: database.url, applicationName: "writer \($0)") }
  }

  @Test(arguments: Late.allCases)
  func theYoungerTransactionWithLowerIDsIsNotPassedOver(_ late: Late) async throws {
    let cluster = try await CapturingDatabase.cluster()
    for neighbours in Neighbours.allCases { try await overtake(late, neighbours, cluster) }
  }

  /// Without this the tests above would prove nothing: here the rule that lost events does lose one.
  @Test func aReaderThatTakesXmaxForTheHighestTransactionBegunPassesItOver() async throws {
    let cluster = try await CapturingDatabase.cluster()
    defer { withExtendedLifetime(cluster) {} }
    let database = try await database(cluster, .none)
    let reader = try await SteppedReader(database.url, trustsSnapshots: true)

    try await overtake(.plain, .none, database, reader)
    try await reader.poll(times: 4)

    let lost = try await places(1..<100, database)
    #expect(await lost.isDisjoint(with: reader.read))
  }

  /// An event that is read before an older, visible one of its key is counted: by the numbers of a real server.
  @Test(arguments: [Late.plain, .savepoint, .rolledBackSavepoint], [true, false])
  func aReaderThatPassesHolesBreaksTheOrderOfAKey(_ late: Late, _ passesHoles: Bool) async throws {
    let cluster = try await CapturingDatabase.cluster()
    defer { withExtendedLifetime(cluster) {} }
    let database = try await database(cluster, .none)
    let reader = try await SteppedReader(database.url)

    try await overtake(late, .none, database, reader) {
      _ = try await database.connection.query("INSERT INTO t VALUES (102, 'k')")
      try await reader.poll(times: 2, passesHoles: passesHoles)
    }

    try await expectRead(1..<103, by: reader, database)
    #expect(await reader.broken == (passesHoles ? 1 : 0))
  }

  private func overtake(_ late: Late, _ neighbours: Neighbours, _ cluster: PrivateCluster) async throws {
    let database = try await database(cluster, neighbours)
    let reader = try await SteppedReader(database.url)

    try await besides(neighbours, database) {
      try await overtake(late, neighbours, database, reader)
      try await expectRead(1..<100, by: reader, database)
    }
    try await expectNoHoles(reader)
  }

  /// - Parameter then: what happens when the younger one has been committed, and before it is read.
  private func overtake(
    _ late: Late, _ neighbours: Neighbours, _ database: CapturingDatabase, _ reader: SteppedReader,
    then: () async throws -> Void = {}
  ) async throws {
    let writers = connections(database)
    try await writers[1].transaction { younger in
      try await writers[0].transaction { older in
        _ = try await older.query(Self.number)
        _ = try await younger.query(Self.number)
        try await younger.script(late.rawValue)
        try await older.script(
          late == .allPartitions
            ? "INSERT INTO t SELECT i, 'k' || i - 100 FROM generate_series(101, 199) AS i"
            : "INSERT INTO t VALUES (101, 'k')")
      }
      try await meanwhile(neighbours, writers[2]) {
        try await read(100..<200, by: reader, database)
        try await reader.poll(times: 6)
      }
    }
    try await then()
    try await reader.poll(times: 2)
  }

  @Test func aPreparedTransactionIsNotPassedOver() async throws {
    let cluster = try await CapturingDatabase.cluster(settings: "max_prepared_transactions = 5")
    for neighbours in Neighbours.allCases { try await overtakeOnePrepared(neighbours, cluster) }
  }

  private func overtakeOnePrepared(_ neighbours: Neighbours, _ cluster: PrivateCluster) async throws {
    let database = try await database(cluster, neighbours)
    let reader = try await SteppedReader(database.url)
    let writers = connections(database)

    try await besides(neighbours, database) {
      try await writers[0].transaction { older in
        _ = try await older.query(Self.number)
        for row in [1, 2] {
          try await database.connection.script(
            "BEGIN; SAVEPOINT s; INSERT INTO t VALUES (\(row), 'k'); RELEASE s; PREPARE TRANSACTION 'p\(row)'")
        }
        try await older.script("INSERT INTO t VALUES (101, 'k')")
      }
      try await meanwhile(neighbours, writers[2]) {
        try await read(100..<200, by: reader, database)
        try await reader.poll(times: 6)
      }
      try await database.connection.script("ROLLBACK PREPARED 'p2'")
      try await reader.poll(times: 4)
      try await database.connection.script("COMMIT PREPARED 'p1'")
      try await reader.poll(times: 2)
      try await expectRead(1..<2, by: reader, database)
    }
    try await expectNoHoles(reader)
  }

  @Test func theRunnerDoesNotSleepBesideAWriterThatFoundTheLockFree() async throws {
    let cluster = try await CapturingDatabase.cluster()
    for neighbours in Neighbours.allCases { try await fallAsleep(neighbours, cluster) }
  }

  private func fallAsleep(_ neighbours: Neighbours, _ cluster: PrivateCluster) async throws {
    let database = try await database(cluster, neighbours)
    let reader = try await SteppedReader(database.url)
    let writers = connections(database)

    try await besides(neighbours, database) {
      try await writers[0].transaction { writer in
        try await writer.script("INSERT INTO t VALUES (1, 'k')")
        try await meanwhile(neighbours, writers[2]) {
          try await reader.poll(times: 6)
          #expect(await reader.interval == NotifyGate.settlingPoll)
        }
      }
      try await reader.poll(times: 2)
      try await expectRead(1..<2, by: reader, database)
    }
    try await reader.poll(times: 2)
    #expect(await reader.interval == nil, "and then it sleeps")
  }

  // MARK: - Steps

  /// Reads until it has the events of these rows, which are committed.
  private func read(_ rows: Range<Int>, by reader: SteppedReader, _ database: CapturingDatabase) async throws {
    let wanted = try await places(rows, database)
    #expect(!wanted.isEmpty)
    for _ in 0..<50 where !(await wanted.isSubset(of: reader.read)) { try await reader.poll() }
    #expect(await wanted.isSubset(of: reader.read))
  }

  private func expectRead(
    _ rows: Range<Int>, by reader: SteppedReader, _ database: CapturingDatabase
  ) async throws {
    let wanted = try await places(rows, database)
    let known = await reader.read
    #expect(!wanted.isEmpty && wanted.isSubset(of: known))
    #expect(Set(known).count == known.count, "nothing is read twice")
  }

  private func expectNoHoles(_ reader: SteppedReader) async throws {
    try await reader.poll(times: 4)
    #expect(await !reader.hasHoles)
  }

  /// The places of rows' events.
  private func places(_ rows: Range<Int>, _ database: CapturingDatabase) async throws -> Set<QueuedEvent.Place> {
    let found = try await database.connection.query(
      """
      SELECT partition, id FROM runner.events
      WHERE (record ->> 'id')::int >= \(rows.lowerBound) AND (record ->> 'id')::int < \(rows.upperBound)
      """)
    return Set(
      try found.map { row throws(PostgresError) in
        QueuedEvent.Place(partition: try row.decode("partition"), id: try row.decode("id"), table: .events)
      })
  }

  /// Does something while a transaction above both others has ended, or goes on.
  private func meanwhile(
    _ neighbours: Neighbours, _ connection: Connection, _ body: () async throws -> Void
  ) async throws {
    switch neighbours {
    case .none, .writers: try await body()
    case .younger:
      _ = try await connection.query(Self.number)
      try await body()
    case .open:
      try await connection.transaction { open in
        _ = try await open.query(Self.number)
        try await body()
      }
    }
  }

  /// Does something while others write, if `neighbours` are such.
  private func besides(
    _ neighbours: Neighbours, _ database: CapturingDatabase, _ body: () async throws -> Void
  ) async throws {
    guard neighbours == .writers else { return try await body() }
    let (url, isOver) = (database.url, Flag())
    let writers = (1...4).map { writer in
      Task {
        let connection = Connection(url: url, applicationName: "neighbours")
        var row = writer * 100_000
        while !isOver.value.load(ordering: .relaxed) {
          row += 2
          _ = try? await connection.query("INSERT INTO t VALUES (\(row), \("c\(row % 7)"))")
          _ = try? await connection.query("INSERT INTO other DEFAULT VALUES")
          _ = try? await connection.query("INSERT INTO t VALUES (\(row + 1), 'k')")
        }
        await connection.close()
      }
    }
    defer { isOver.value.store(true, ordering: .relaxed) }
    try await body()
    isOver.value.store(true, ordering: .relaxed)
    for writer in writers { await writer.value }
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }
}
