import FunctionKit
import Postgres
import TestSupport

/// A migrated project whose queue has one event of each state.
enum RecordedEvents {
  static let manifest = #"""
    {"functions":{
      "note":{"executable":"note.sh","mode":"oneshot","attempts":3,"key":"name","redact":["secret"],
        "triggers":[{"table":"items","events":["INSERT"]}]},
      "strict":{"executable":"note.sh","mode":"oneshot","key":"name","onFailure":"block",
        "triggers":[{"table":"orders","events":["INSERT"]}]},
      "tick":{"executable":"note.sh","mode":"oneshot","triggers":[{"schedule":"0 0 1 1 *"}]},
      "echo":{}}}
    """#

  static func make(
    scripts: [String: String] = ["note.sh": "cat >> got"], rows: Bool = true
  ) async throws -> RunningRunner {
    let runner = try await RunningRunner(manifest, scripts: scripts)
    try await runner.database.script(
      """
      CREATE TABLE items (id bigint PRIMARY KEY, name text, secret text);
      CREATE TABLE orders (id int PRIMARY KEY, name text);
      """)
    _ = try await runner.run(["migrate"])
    if rows { try await runner.database.script(self.rows) }
    return runner
  }

  /// The answer of a command as JSON.
  static func json(_ runner: RunningRunner, _ words: [String]) async throws -> RawJSON {
    let outcome = try await runner.run(words + ["--json"])
    guard let json = try? RawJSON(validating: Array(outcome.stdout.utf8)[...]) else {
      throw ProgramFailure(description: "\(words): \(outcome.stdout)\(outcome.stderr)")
    }
    return json
  }

  /// Five events a minute apart.
  ///
  /// 5.1 waits, 5.2 is tried again in 90 minutes, 5.3 is dead, 5.4 is done after two attempts, and the call failed.
  private static let rows = """
    CREATE TEMPORARY TABLE e AS SELECT 5::smallint AS partition, i::bigint AS id, 'note' AS function, 'k1' AS key,
      runner.now() - (6 - i) * interval '1 minute' AS at, 'INSERT' AS op, 'public' AS table_schema,
      'items' AS table_name, jsonb_build_object('id', 9007199254740993, 'name', 'k1', 'secret', 'hush') AS record
    FROM generate_series(1, 4) AS i;
    INSERT INTO runner.events (partition, id, function, key, at, op, table_schema, table_name, record)
    SELECT * FROM e WHERE id = 1;
    INSERT INTO runner.retries (partition, id, function, key, at, op, table_schema, table_name, record,
      attempt, run_at, code, error)
    SELECT e.*, 1, runner.now() + interval '90 minutes', 'UNAVAILABLE', 'The function ended with exit status 75.'
    FROM e WHERE id = 2;
    INSERT INTO runner.dead_letters (partition, id, function, key, at, op, table_schema, table_name, record,
      attempts, crashes, code, error, died_at)
    SELECT e.*, 3, 3, 'WORKER_CRASH', E'The function was ended by signal 11\\nsecond line', e.at FROM e WHERE id = 3;
    INSERT INTO runner.history (recorded_at, ended_at, partition, id, function, key, kind, at, attempt, code, exit_status,
      duration_us, error)
    SELECT clock_timestamp() + n * interval '1 second', at + n * interval '1 second', partition, id, function, key,
      'INSERT public.items', at, n, CASE n WHEN 0 THEN 'UNAVAILABLE' ELSE 'OK' END, 75 - 75 * n, 12345,
      CASE n WHEN 0 THEN E'busy\\nno place' END
    FROM e, generate_series(0, 1) AS n WHERE id = 4;
    INSERT INTO runner.history (ended_at, partition, id, function, key, kind, at, attempt, code, duration_us, error)
    SELECT at, partition, id, function, key, 'INSERT public.items', at, n, 'WORKER_CRASH', 900, 'signal 11'
    FROM e, generate_series(0, 2) AS n WHERE id = 3;
    INSERT INTO runner.payloads (partition, id, function, key, at, op, table_schema, table_name, record)
    SELECT * FROM e WHERE id = 4;
    INSERT INTO runner.history (ended_at, event_id, function, kind, at, attempt, code, exit_status, duration_us, error)
    SELECT runner.now(), 'call-1', 'note', 'http', runner.now() - interval '1 minute', 0, 'WORKER_ERROR', 70, 5000, 'no';
    INSERT INTO runner.payloads (event_id, function, at, source, type, data)
    SELECT 'call-1', 'note', runner.now() - interval '1 minute', '/http/note', 'dev.push-functions.call',
      '{"secret": "hush", "record": {"secret": "hush", "id": 1}}';
    """
}
