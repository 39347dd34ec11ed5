import FunctionKit
import Postgres
import TestSupport
import Testing

/// Long work whose process is ended again and again.
@Suite(.heavy)
struct ProgressTests {
  /// Lets retries begin at once until nothing waits.
  private func waitUntilEmpty(_ runner: RunningRunner, within limit: Duration = .seconds(60)) async throws {
    try await eventually("the queue is empty", within: limit) {
      try await runner.database.script(
        """
        UPDATE runner.clock SET "offset" = "offset" + (
          SELECT max(run_at) - runner.now() FROM runner.retries HAVING max(run_at) > runner.now())
        WHERE EXISTS (SELECT FROM runner.retries WHERE run_at > runner.now() + interval '1 second');
        NOTIFY runner_control, 'clock'
        """)
      return try await runner.database.query("SELECT (\(RunningRunner.isEmpty)) AS yes").only().decode(
        "yes", as: Bool.self)
    }
  }

  @Test(arguments: ["kill -KILL $$", "sleep 1000", "exit 1"], ["warm", "oneshot"])
  func whatGetsFurtherIsNotGivenUp(ending: String, mode: String) async throws {
    let work = #"[ $attempt -ge 4 ] || { printf '{"progress":%s}\n' $((attempt + 1)) >&2; \#(ending); }"#
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("long", #","mode":"\#(mode)","timeout":1,"attempts":2"#)),
      scripts: ["long": Ledger.script("long", after: work)])
    _ = try await runner.start()

    try await runner.database.script("INSERT INTO entries VALUES (1, 'a')")
    try await runner.wait(for: "long") { !$0.entries.isEmpty }
    try await waitUntilEmpty(runner)

    #expect(try Ledger("long", of: runner).entries.map(\.attempt) == Array(0...4))
    #expect(try await runner.database.query("SELECT FROM runner.dead_letters").isEmpty)
    #expect(try await runner.database.query("SELECT FROM runner.history WHERE function = 'long'").count == 5)
  }

  @Test(arguments: [("kill -KILL $$", 3 + 2), ("exit 1", 4 + 2)])
  func whatRepeatsItselfIsADeadLetterAsBefore(ending: String, attempts: Int) async throws {
    // It gets further twice, and says the same from then on.
    let work =
      #"count=$((attempt + 1)); [ $count -le 2 ] || count=2; printf '{"progress":%s}\n' $count >&2; \#(ending)"#
    let runner = try await RunningRunner.withLedgers(
      Ledger.manifest(Ledger.function("long", #","attempts":4"#)), scripts: ["long": Ledger.script("long", after: work)]
    )
    _ = try await runner.start()

    try await runner.database.script("INSERT INTO entries VALUES (1, 'a')")
    try await runner.wait(for: "long") { !$0.entries.isEmpty }
    try await waitUntilEmpty(runner)

    let letter = try await runner.database.query("SELECT * FROM runner.dead_letters").only()
    #expect(letter["attempts"] == "\(attempts)")
    #expect(try Ledger("long", of: runner).entries.count == attempts)
  }

  /// The real function, killed by the reader of its log as soon as it has told another part of the people.
  @Test func aFanOutThatIsKilledAfterEachPartTellsEverybodyOnce() async throws {
    let voters = 22_000
    let function = BuiltExecutables.path(of: "status-changed")
    let kill = """
      PATH=/usr/bin:/bin
      cat > "event.$$"
      mkfifo "log.$$"
      '\(function)' 2> "log.$$" < "event.$$" & child=$!
      while IFS= read -r line; do
        printf '%s\\n' "$line" >&2
        case $line in *'"progress"'*) kill -KILL $child; kill -KILL $$ ;; esac
      done < "log.$$"
      wait $child
      """
    let runner = try await RunningRunner(
      #"""
      {"functions":{"status-changed":{"executable":"killed.sh","mode":"oneshot","key":"id","attempts":2,"timeout":60,
        "environment":["DATABASE_URL"],
        "triggers":[{"table":"feedbacks","events":["UPDATE"],"columns":["status"]}]}}}
      """#, scripts: ["killed.sh": kill])
    _ = try await runner.start()
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))
    let feedback = try await runner.database.query("SELECT id::text FROM feedbacks ORDER BY id LIMIT 1")
      .only().decode("id", as: String.self)
    try await runner.database.script(
      """
      DELETE FROM votes; DELETE FROM runner.events;
      INSERT INTO users (id, email, name, is_email_verified)
      SELECT ('e0000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'v' || i || '@example.com', 'V' || i, true
      FROM generate_series(1, \(voters)) i;
      INSERT INTO votes (user_id, user_email, feedback_id)
      SELECT 'sdk-' || i, 'v' || i || '@example.com', '\(feedback)' FROM generate_series(1, \(voters)) i;
      INSERT INTO device_tokens (user_id, token, platform)
      SELECT id, 'token-' || id, 'iOS' FROM users WHERE name LIKE 'V%';
      ANALYZE users, votes, device_tokens;
      UPDATE feedbacks SET status = CASE status WHEN 'planned' THEN 'completed' ELSE 'planned' END WHERE id = '\(feedback)';
      """)
    try await waitUntilEmpty(runner, within: .seconds(180))

    #expect(try await runner.database.query("SELECT FROM runner.dead_letters").isEmpty)
    let crashes = try await runner.database.query("SELECT FROM runner.history WHERE code = 'WORKER_CRASH'").count
    // An event that gets no further is a dead letter after three.
    #expect(crashes > 3)
    let told = try await runner.database.query(
      """
      SELECT count(*) AS all, count(DISTINCT user_id) AS people FROM notifications
      WHERE user_id IN (SELECT id FROM users WHERE name LIKE 'V%')
      """
    ).only()
    #expect(told["all"] == "\(voters)" && told["people"] == "\(voters)")
    let deliveries = try await runner.database.query("SELECT count(DISTINCT device_token_id) AS n FROM deliveries")
      .only()
    #expect(deliveries["n"].flatMap { Int($0) } ?? 0 >= voters)
  }
}
