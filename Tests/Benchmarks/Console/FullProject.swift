import TestSupport

/// A project with a long past and a long queue.
struct FullProject {
  /// How many functions it has besides the one that is called and the one that keeps events waiting.
  static let functions = 30

  /// In the history, over the last six days.
  let ended: Int
  /// In the queue: their function is busy with the first of them.
  let waiting: Int
  let dead: Int

  var manifest: String {
    let echo = #""mode": "warm", "executable": "\#(BuiltExecutables.path(of: "echo"))""#
    let others = (1...Self.functions).map { #""f\#($0)": {\#(echo)}"# }
    return """
      {"history": {"days": 14}, "functions": {"called": {\(echo)},
        "held": {"executable": "held.sh", "mode": "oneshot", "concurrency": 1, "timeout": 900, "key": "customer",
          "triggers": [{"table": "orders", "events": ["INSERT"]}]},
        \(others.joined(separator: ",\n  "))}}
      """
  }

  /// Does not end before the file `released` is there.
  static let script = "#!/bin/sh\nuntil [ -e released ]; do sleep 0.2; done\necho {}\n"

  /// The statements that fill the queue and the history.
  var rows: String {
    """
    \(Orders.rows(waiting))
    DO $$ BEGIN
      FOR n IN 1..6 LOOP
        EXECUTE format('CREATE TABLE runner.history_%s PARTITION OF runner.history FOR VALUES FROM (%L) TO (%L)',
          to_char(current_date - n, 'YYYYMMDD'), current_date - n, current_date - n + 1);
      END LOOP;
    END $$;
    SELECT runner.rotate(14, 48);
    INSERT INTO runner.history (recorded_at, ended_at, partition, id, event_id, function, key, kind, at, attempt, code,
      exit_status, duration_us, error)
    SELECT t, t, CASE WHEN n % 10 > 0 THEN n % 16 END, CASE WHEN n % 10 > 0 THEN n END,
      CASE WHEN n % 10 = 0 THEN md5(n::text) END, 'f' || 1 + n % \(Self.functions), (n % 20000)::text,
      CASE WHEN n % 10 = 0 THEN 'http' ELSE 'INSERT public.orders' END, t - interval '20 ms', 0,
      CASE WHEN n % 100 = 0 THEN 'UNAVAILABLE' ELSE 'OK' END, CASE WHEN n % 100 = 0 THEN 75 ELSE 0 END, 1000 + n % 9000,
      CASE WHEN n % 100 = 0 THEN 'The service does not answer at the moment.' END
    FROM (SELECT n, clock_timestamp() - (\(ended) - n) * interval '5 days' / \(ended) AS t
      FROM generate_series(1, \(ended)) AS n) AS e;
    INSERT INTO runner.payloads (recorded_at, partition, id, event_id, function, at, op, table_schema, table_name, record)
    SELECT recorded_at, partition, id, event_id, function, at, 'INSERT', 'public', 'orders',
      jsonb_build_object('id', id, 'customer', key, 'note', repeat(md5(duration_us::text), 5))
    FROM runner.history WHERE recorded_at > clock_timestamp() - interval '1 day';
    INSERT INTO runner.dead_letters (partition, id, function, key, at, op, table_schema, table_name, record, attempts,
      code, error, died_at)
    SELECT n % 16, 10000000 + n, 'f' || 1 + n % \(Self.functions), n::text, clock_timestamp() - n * interval '1 s', 'INSERT',
      'public', 'orders', '{"customer": 1}', 20, 'UNAVAILABLE', 'The service does not answer at the moment.',
      clock_timestamp()
    FROM generate_series(1, \(dead)) AS n;
    ANALYZE;
    """
  }
}
