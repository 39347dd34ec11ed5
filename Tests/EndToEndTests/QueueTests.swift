import FunctionKit
import Postgres
import TestSupport
import Testing

/// Row changes on their way through a serving runner to a function that writes down what it got.
@Suite(.heavy)
struct QueueTests {
  private static let manifest = #"""
    {"functions":{"note":{"executable":"note.sh","mode":"oneshot","attempts":3,"key":"name",
      "triggers":[{"table":"items","events":["INSERT","UPDATE","DELETE"],"columns":["name"]}]}}}
    """#
  /// Keeps each event's id and attempt in a file, then does what `behave` says.
  private static func note(_ behave: String = "") -> String {
    """
    event=$(cat)
    \(behave)
    printf '%s\\n' "$event" >> got
    """
  }

  private func runner(_ script: String = note()) async throws -> RunningRunner {
    let runner = try await RunningRunner(Self.manifest, scripts: ["note.sh": script])
    try await runner.database.script("CREATE TABLE items (id int PRIMARY KEY, name text, at timestamptz)")
    return runner
  }

  private static let empty: SQL = """
    (SELECT count(*) FROM runner.events) + (SELECT count(*) FROM runner.retries) = 0
    """

  @Test func everyChangeArrivesOnceInTheFormOfADatabaseWebhook() async throws {
    let runner = try await runner()
    _ = try await runner.start()

    try await runner.database.script("INSERT INTO items VALUES (1, 'a', '2026-01-02 03:04:05.6+00')")
    try await runner.wait(until: Self.empty)
    try await runner.database.script("UPDATE items SET name = 'b'; UPDATE items SET at = NULL; DELETE FROM items")
    try await runner.wait(until: Self.empty)

    let events = try runner.got()
    #expect(events.count == 3)
    #expect(Set(events.compactMap { $0["id"]?.stringValue }).count == 3)
    #expect(
      events.first?["data"].map { String(decoding: $0.bytes, as: UTF8.self) }
        == #"{"type": "INSERT", "table": "items", "record": {"at": "2026-01-02T03:04:05.6+00:00", "id": 1, "#
        + #""name": "a"}, "schema": "public", "old_record": null}"#)
    #expect(Set(events.compactMap { $0["data"]?["type"]?.stringValue }) == ["INSERT", "UPDATE", "DELETE"])
    #expect(events.first?["source"]?.stringValue == "/postgres/public/items")
  }

  @Test func aRolledBackChangeMakesNoEvent() async throws {
    let runner = try await runner()
    _ = try await runner.start()

    try await runner.database.script(
      "BEGIN; INSERT INTO items VALUES (1, 'a'); ROLLBACK; INSERT INTO items VALUES (2, 'b')")
    try await runner.wait(until: Self.empty)

    #expect(try runner.got().compactMap { $0["data"]?["record"]?["id"]?.intValue } == [2])
  }

  @Test func aKeyThatChangesIsPairedRightly() async throws {
    let runner = try await runner()
    try await runner.database.script("SELECT 1")
    _ = try await runner.run(["migrate"])
    try await runner.database.script(
      """
      INSERT INTO items VALUES (1, 'one'), (2, 'two'), (3, 'three');
      UPDATE items SET id = id + 10, name = name || '!' WHERE id IN (1, 2);
      """)
    _ = try await runner.start()
    try await runner.wait(until: Self.empty)

    let pairs = try runner.got().compactMap { $0["data"] }.filter { $0["type"]?.stringValue == "UPDATE" }
      .map { ($0["old_record"]?["id"]?.intValue, $0["record"]?["id"]?.intValue, $0["record"]?["name"]?.stringValue) }
    #expect(pairs.count == 2)
    #expect(pairs.contains { $0 == (1, 11, "one!") })
    #expect(pairs.contains { $0 == (2, 12, "two!") })
  }

  @Test func eventsOfOneKeyKeepTheirOrder() async throws {
    let runner = try await runner()
    _ = try await runner.run(["migrate"])
    try await runner.database.script(
      "INSERT INTO items SELECT i, 'k' || i % 3 FROM generate_series(1, 60) AS i")
    _ = try await runner.start()
    try await runner.wait(until: Self.empty)

    let rows = try runner.got().compactMap { $0["data"]?["record"] }
    #expect(rows.count == 60)
    for key in ["k0", "k1", "k2"] {
      let ids = rows.filter { $0["name"]?.stringValue == key }.compactMap { $0["id"]?.intValue }
      #expect(ids == ids.sorted())
    }
  }

  @Test func aWriterThatCommitsLateIsNotMissed() async throws {
    let runner = try await runner()
    _ = try await runner.start()
    let late = Connection(url: runner.databaseURL, applicationName: "late")

    try await late.transaction { transaction in
      _ = try await transaction.query("INSERT INTO items VALUES (1, 'same')")
      try await runner.database.script("INSERT INTO items SELECT i, 'same' FROM generate_series(2, 30) AS i")
      try await runner.wait(until: Self.empty)
      #expect(try runner.got().count == 29)
    }
    try await runner.wait(until: Self.empty)

    #expect(Set(try runner.got().compactMap { $0["data"]?["record"]?["id"]?.intValue }) == Set(1...30))
  }

  @Test func aFailedEventIsTriedAgainUnderItsIDUntilItSucceeds() async throws {
    let runner = try await runner(
      Self.note("if [ ! -e once ]; then touch once; printf '%s\\n' \"$event\" >> got; exit 1; fi"))
    _ = try await runner.start()

    try await runner.database.script("INSERT INTO items VALUES (1, 'a')")
    try await runner.wait(until: Self.empty)

    let events = try runner.got()
    #expect(events.count == 2)
    #expect(events.first?["id"] == events.last?["id"])
    #expect(events.first?["attempt"] == nil)
    #expect(events.last?["attempt"]?.intValue == 1)
  }

  @Test(arguments: [
    ("what cannot succeed, at once", "echo why >&2; exit 65", "INVALID_EVENT", "1"),
    (
      "what fails to the last attempt", #"echo '{"error":{"message":"why","retryAfter":0}}'; exit 75"#, "UNAVAILABLE",
      "3"
    ),
  ])
  func isADeadLetter(_ name: String, script: String, code: String, attempts: String) async throws {
    let runner = try await runner(Self.note(script))
    _ = try await runner.start()

    try await runner.database.script("INSERT INTO items VALUES (1, 'a')")
    try await runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) = 1")

    let letter = try await runner.database.query("SELECT * FROM runner.dead_letters").only()
    #expect(letter["code"] == code)
    #expect(letter["attempts"] == attempts)
    #expect(letter["error"]?.contains("why") == true)
    #expect(letter["record"]?.contains("\"name\": \"a\"") == true)
  }

  /// PostgreSQL's text cannot hold U+0000.
  @Test func aZeroInWhatAFunctionSaysKeepsNoEventFromItsEnd() async throws {
    let answer = #"printf '%s' '{"error":{"message":"a\u0000b"}}'; printf 'evil\000' >&2; exit 65"#
    let runner = try await runner(Self.note(#"case "$event" in *'"a"'*) \#(answer);; esac"#))
    let served = try await runner.start()

    try await runner.database.script("INSERT INTO items VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    try await runner.wait(until: Self.empty)

    let letter = try await runner.database.query("SELECT error FROM runner.dead_letters").only()
    #expect(letter["error"] == "a\u{FFFD}b\nevil\u{FFFD}")
    #expect(try runner.got().count == 2)
    let call = try await served.call("note", #"{"name": "a"}"#)
    #expect(call.status == 400)
    try await runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE kind = 'http')")
  }

  @Test func aMisconfiguredFunctionWaitsUntilItIsMendedAndLosesNoAttempt() async throws {
    let runner = try await runner(Self.note("exit 78"))
    let served = try await runner.start()
    try await runner.database.script("INSERT INTO items VALUES (1, 'a')")
    try await served.program.line { $0.contains("The function is paused") }

    try runner.project.write("#!/bin/sh\n\(Self.note())\n", to: "note.sh", mode: 0o700)
    try await runner.wait(until: Self.empty)

    let events = try runner.got()
    #expect(events.count == 1)
    #expect(events.first?["attempt"] == nil)
  }

  @Test func theDatabaseMayGoAndComeBack() async throws {
    let runner = try await runner()
    let served = try await runner.start()
    try await served.program.line { $0.contains("Partitions taken") }

    try await runner.database.endSessions()
    try await runner.database.script("INSERT INTO items SELECT i, 'x' FROM generate_series(1, 5) AS i")
    try await runner.wait(until: Self.empty)

    #expect(Set(try runner.got().compactMap { $0["data"]?["record"]?["id"]?.intValue }) == Set(1...5))
  }

  @Test func afterSIGKILLNothingIsLostAndWorkersEnd() async throws {
    let runner = try await runner(Self.note("echo $$ >> pids; [ -e slow ] && sleep 100"))
    try runner.project.write("", to: "slow")
    let served = try await runner.start()
    try await runner.database.script("INSERT INTO items SELECT i, 'k' || i FROM generate_series(1, 20) AS i")
    _ = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "while [ ! -s \(runner.project.path)/pids ]; do sleep 0.01; done"])

    served.program.send(9)
    let ended = try await BuiltExecutables.run(
      "/bin/sh",
      [
        "-c",
        """
        for p in $(cat \(runner.project.path)/pids); do
          while grep -qv '^[^)]*) Z' /proc/$p/stat 2>/dev/null; do sleep 0.01; done
        done
        """,
      ])
    #expect(ended.exit == 0, "each worker has ended")
    _ = try await BuiltExecutables.run("/bin/rm", ["\(runner.project.path)/slow"])
    _ = try await runner.start()
    try await runner.wait(until: Self.empty)

    let ids = try runner.got().compactMap { $0["data"]?["record"]?["id"]?.intValue }
    #expect(Set(ids) == Set(1...20))
  }

  @Test func aRunnerWhosePartitionsWereTakenHandlesNothingMore() async throws {
    let runner = try await runner()
    let served = try await runner.start()
    try await served.program.line { $0.contains("Partitions taken") }

    try await runner.database.script(
      """
      UPDATE runner.leases SET owner = gen_random_uuid(), epoch = epoch + 1, expires_at = 'infinity';
      INSERT INTO items VALUES (1, 'a');
      """)

    try await served.program.line { $0.contains("The partitions have gone to another runner") }
    #expect(try runner.got().isEmpty)
    #expect(try await runner.database.query("SELECT 1 FROM runner.events").count == 1)
  }

  @Test func aScheduleFiresOncePerOccurrenceHoweverManyRunners() async throws {
    let manifest =
      #"{"functions":{"tick":{"executable":"note.sh","mode":"oneshot","triggers":[{"schedule":"* * * * * *"}]}}}"#
    let runner = try await RunningRunner(manifest, scripts: ["note.sh": Self.note()])
    let (first, second) = (try await runner.start(), try await runner.start())

    try await runner.wait(until: "SELECT count(*) >= 3 FROM runner.schedule_fires")
    try await runner.wait(until: Self.empty)
    for program in [first.program, second.program] {
      program.send(15)
      try await program.exit()
    }

    let ids = try runner.got().compactMap { $0["id"]?.stringValue }
    #expect(ids.count >= 3)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.hasPrefix("tick@") })
  }
}
