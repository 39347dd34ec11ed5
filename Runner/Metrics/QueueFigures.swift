import Postgres

/// How many events wait in the queue, for how long, and how late schedules are.
struct QueueFigures: Sendable {
  private let waiting: [(String, Int)]
  private let oldest: [(String, Double)]
  private let retries: [(String, Int)]
  private let deadLetters: [(String, Int)]
  private let lags: [(String, Double)]
  private let wakeUpLags: [(String, Double)]
  private let retryLags: [(String, Double)]

  /// The most events of a queue that are counted.
  private static let most = 1_000_000

  static let statements: [SQL] = [
    """
    SELECT function, count(*) AS waiting, extract(epoch FROM runner.now() - min(at))::float8 AS age
    FROM (SELECT function, at FROM runner.events LIMIT \(most)) AS e GROUP BY function
    """,
    """
    SELECT function, count(*) AS waiting, extract(epoch FROM runner.now() - min(at))::float8 AS age
    FROM runner.retries GROUP BY function
    """,
    "SELECT function, count(*) AS waiting FROM runner.dead_letters GROUP BY function",
    """
    SELECT name, greatest(0, extract(epoch FROM runner.now() - next_at))::float8 AS lag
    FROM runner.schedules WHERE next_at IS NOT NULL AND paused_at IS NULL
    """,
    "SELECT function, greatest(0, extract(epoch FROM runner.now() - at))::float8 AS lag FROM runner.wakeups",
    """
    SELECT function, greatest(0, extract(epoch FROM runner.now() - min(run_at)))::float8 AS lag
    FROM runner.retries GROUP BY function
    """,
  ]

  /// - Parameter results: of ``statements``.
  init(_ results: [Rows]) throws(PostgresError) {
    waiting = try Self.pairs(results[0], "function", "waiting")
    let ages: [(String, Double)] =
      try Self.pairs(results[0], "function", "age") + Self.pairs(results[1], "function", "age")
    oldest = Array(Dictionary(ages, uniquingKeysWith: max))
    retries = try Self.pairs(results[1], "function", "waiting")
    deadLetters = try Self.pairs(results[2], "function", "waiting")
    lags = try Self.pairs(results[3], "name", "lag")
    wakeUpLags = try Self.pairs(results[4], "function", "lag")
    retryLags = try Self.pairs(results[5], "function", "lag")
  }

  /// - Parameter functions: those that have a sample even if nothing waits.
  func families(_ functions: [String]) -> [MetricFamily] {
    func family<Number>(
      _ name: String, _ help: String, _ label: String, _ values: [(String, Number)], for all: [String], zero: String
    ) -> MetricFamily {
      let known = Dictionary(values.map { ($0.0, "\($0.1)") }) { $1 }
      return MetricFamily(
        name: name, kind: .gauge, help: help,
        samples: Set(all).union(known.keys).sorted().map {
          .init(labels: [(label, $0)], value: known[$0] ?? zero)
        })
    }
    return [
      family(
        "push_runner_events_waiting", "Events that wait or run.", "function", waiting, for: functions,
        zero: "0"),
      family(
        "push_runner_oldest_event_age_seconds", "The age of the oldest event that has not been handled.", "function",
        oldest, for: functions, zero: "0.0"),
      family(
        "push_runner_retries", "Events that failed and will be tried again.", "function", retries, for: functions,
        zero: "0"),
      family(
        "push_runner_dead_letters", "Events that are not tried again until a person retries them.", "function",
        deadLetters, for: functions, zero: "0"),
      family(
        "push_runner_schedule_lag_seconds", "How late a schedule is that has not fired.", "schedule", lags,
        for: [], zero: "0.0"),
      family(
        "push_runner_wakeup_lag_seconds", "How long ago a function asked to be run that has not come to its end since.",
        "function", wakeUpLags, for: [], zero: "0.0"),
      family(
        "push_runner_retry_lag_seconds", "How late the next attempt of a failed event is.", "function", retryLags,
        for: [], zero: "0.0"),
    ]
  }

  private static func pairs<Value: PostgresDecodable>(
    _ rows: Rows, _ name: String, _ value: String
  ) throws(PostgresError) -> [(String, Value)] {
    try rows.map { row throws(PostgresError) in (try row.decode(name), try row.decode(value)) }
  }
}
