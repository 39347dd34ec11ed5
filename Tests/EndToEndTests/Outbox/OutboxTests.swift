import Postgres
import TestSupport
import Testing

/// The way to Kafka on the runner's page: its statements are run, and PostgreSQL's log is read as Debezium reads it.
@Suite(.heavy)
struct OutboxTests {
  private let cluster: PrivateCluster

  init() async throws { cluster = try await RunningRunner.cluster(settings: "wal_level = logical") }

  private struct Undone: Error {}

  /// The statements that a writer has committed: it inserts and changes a row in each transaction, deletes every third
  /// one, and takes back every fifth transaction.
  private func committed(by writer: Int) -> [String] {
    (1...40).filter { $0 % 5 != 0 }.flatMap { number -> [String] in
      let changes = ["INSERT", "UPDATE"] + (number % 3 == 0 ? ["DELETE"] : [])
      return changes.map { "\($0) \(writer).\(number)" }
    }
  }

  private func write(_ writer: Int) async throws {
    let connection = Connection(url: cluster.url(), applicationName: "writer")
    for number in 1...40 {
      do {
        try await connection.transaction { transaction in
          let name = "\(writer).\(number)"
          try await transaction.script(OutboxSite.insert(name))
          try await transaction.script("UPDATE feedbacks SET vote_count = 1 WHERE title = '\(name)'")
          if number % 3 == 0 { try await transaction.script("DELETE FROM feedbacks WHERE title = '\(name)'") }
          if number % 5 == 0 { throw Undone() }
        }
      } catch is Undone {}
    }
    await connection.close()
  }

  /// A runner serves meanwhile, and deletes its events within milliseconds.
  @Test func everyChangeIsReadOnceAndNothingUnreadGoes() async throws {
    let site = try await OutboxSite(database: cluster.url())
    _ = try await site.runner.start()
    try await site.openSlot()
    try await site.age()
    let expected = (1...4).map { committed(by: $0) }
    let number = expected.map(\.count).reduce(0, +)

    let writing = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 1...4 { group.addTask { try await write(writer) } }
        try await group.waitForAll()
      }
    }
    var (read, cleared): ([LoggedChange], Int) = ([], 0)
    let deadline = ContinuousClock.now + .seconds(120)
    while read.count < number, ContinuousClock.now < deadline {
      read += try await site.read(20)
      try await site.database.script("CHECKPOINT")
      cleared += try await site.clear()
      let unread = try await site.unread().map(\.id)
      let gone = try await site.database.query(
        "SELECT id FROM unnest(\(unread)::uuid[]) AS id WHERE id NOT IN (SELECT id FROM outbox.events)")
      #expect(gone.isEmpty, "\(gone.count) that were not read are gone")
    }
    try await writing.value
    try await site.runner.waitUntilEmpty()
    read += try await site.readToTheEnd()
    cleared += try await site.clear()

    for (writer, changes) in zip(1..., expected) {
      #expect(read.map(\.text).filter { $0.contains(" \(writer).") } == changes)
    }
    #expect(Set(read.map(\.id)).count == number && cleared == number)
    #expect(try await site.rows() == [])
  }

  @Test func theRowOfALateTransactionStaysUntilItIsRead() async throws {
    let site = try await OutboxSite(database: cluster.url())
    try await site.openSlot()
    try await site.database.script(OutboxSite.insert("young"))
    #expect(try await site.readToTheEnd().map(\.text) == ["INSERT young"])
    #expect(try await site.clear() == 0, "a row stays for a week")
    try await site.age()

    let late = Connection(url: cluster.url(), applicationName: "late")
    try await late.transaction { transaction in
      try await transaction.script(OutboxSite.insert("late"))
      try await site.database.script(OutboxSite.insert("early"))
      #expect(try await site.readToTheEnd().map(\.text) == ["INSERT early"])
    }
    // The reader's place in the log is past the row, and before the row's commit.
    let isPassed: Bool = try await site.database.query(
      """
      SELECT lsn < (SELECT confirmed_flush_lsn FROM pg_replication_slots) AS yes FROM outbox.events
      WHERE payload ->> 'title' = 'late'
      """
    ).only().decode("yes")
    #expect(isPassed)
    _ = try await site.clear()
    #expect(try await site.rows().contains("INSERT late"))

    #expect(try await site.readToTheEnd().map(\.text) == ["INSERT late"])
    _ = try await site.clear()
    #expect(try await site.rows() == ["INSERT young"])
  }

  /// How a reader loses its place in the log.
  enum Loss: CaseIterable {
    case dropped, lost

    fileprivate func happen(_ database: Connection) async throws {
      if self == .lost {
        // The server keeps 1 MB for a slot, and the log grows by more.
        for statement in ["ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'", "SELECT pg_reload_conf()"] {
          try await database.script(statement)
        }
        let isLost: SQL = "SELECT wal_status = 'lost' AS yes FROM pg_replication_slots"
        var segments = 0
        while try await !database.query(isLost).only().decode("yes", as: Bool.self) {
          segments += 1
          try #require(segments < 100, "The slot is not lost.")
          _ = try await database.query("SELECT pg_logical_emit_message(false, '', repeat('x', 900000))")
          _ = try await database.query("SELECT pg_switch_wal()")
          try await database.script("CHECKPOINT")
        }
      } else {
        _ = try await database.query("SELECT pg_drop_replication_slot('outbox')")
      }
    }
  }

  @Test(arguments: Loss.allCases) func aReaderThatBeginsAgainFindsWhatItMissed(_ loss: Loss) async throws {
    let site = try await OutboxSite(database: cluster.url())
    try await site.openSlot()
    try await site.age()
    try await site.database.script(OutboxSite.insert("read"))
    let first = try await site.readToTheEnd()
    try await site.database.script(OutboxSite.insert("missed"))

    try await loss.happen(site.database)
    try await site.database.script(OutboxSite.insert("without a slot"))
    #expect(try await site.clear() == 0)

    if loss == .lost { _ = try await site.database.query("SELECT pg_drop_replication_slot('outbox')") }
    try await site.openSlot()
    // The snapshot, then the log.
    #expect(try await site.rows() == ["INSERT read", "INSERT missed", "INSERT without a slot"])
    let known = try await site.database.query("SELECT id FROM outbox.events ORDER BY lsn LIMIT 1").only()
    #expect(known["id"] == first.first?.id)
    try await site.database.script(OutboxSite.insert("after"))
    #expect(try await site.readToTheEnd().map(\.text) == ["INSERT after"])
  }

  @Test func aWriterNeedsNoRightsAndItsSettingsChangeNothing() async throws {
    let site = try await OutboxSite(database: cluster.url())
    try await site.database.script(
      "CREATE ROLE app LOGIN; GRANT SELECT ON projects TO app; GRANT SELECT, INSERT, UPDATE ON feedbacks TO app")

    let app = Connection(
      url: cluster.url().replacing("user=postgres", with: "user=app"), applicationName: "app")
    try await app.script("SET TimeZone = 'Asia/Kathmandu'; SET search_path = pg_temp, public")
    try await app.script(OutboxSite.insert("by the app"))

    let row = try await site.database.query(
      "SELECT payload ->> 'created_at' AS at, aggregateid FROM outbox.events"
    ).only()
    #expect(row["at"]?.hasSuffix("+00:00") == true && row["aggregateid"]?.count == 36)
    await #expect(throws: PostgresError.self) { try await app.query("SELECT * FROM outbox.events") }
    await #expect(throws: PostgresError.self) { try await app.query("DELETE FROM outbox.events") }
    await app.close()
  }

  @Test func rowsOfAPartitionedTableHaveItsName() async throws {
    let site = try await OutboxSite(database: cluster.url())
    try await site.database.script(
      """
      CREATE TABLE parts (n int PRIMARY KEY) PARTITION BY LIST (n);
      CREATE TABLE first_part PARTITION OF parts DEFAULT;
      CREATE TRIGGER outbox AFTER INSERT ON parts FOR EACH ROW EXECUTE FUNCTION outbox.add('n', 'parts');
      INSERT INTO parts VALUES (7);
      """)

    let row = try await site.database.query("SELECT aggregatetype, aggregateid FROM outbox.events").only()
    #expect([row["aggregatetype"], row["aggregateid"]] == ["parts", "7"])
  }
}
