package import Postgres

/// How many events of each function are in the queue.
package struct QueueCounts: Sendable, Equatable {
  /// How many events of one function are in the queue.
  package struct FunctionCounts: Sendable, Equatable {
    /// Waiting or running.
    package var waiting = 0
    package var retrying = 0
    package var dead = 0

    package init() {}
  }

  package var functions: [String: FunctionCounts] = [:]
  /// Differs when something has changed that the counts do not show: the newest ends, the schedules, the clock.
  package var signature = ""

  package init() {}

  /// - Parameter most: of each table no more than this is counted.
  package static func read(_ database: Connection, most: Int) async throws(PostgresError) -> QueueCounts {
    let rows = try await database.query(
      """
      SELECT 'w' AS place, function, count(*) AS number FROM (SELECT function FROM runner.events LIMIT \(most)) AS e
      GROUP BY function
      UNION ALL SELECT 'r', function, count(*) FROM (SELECT function FROM runner.retries LIMIT \(most)) AS e
      GROUP BY function
      UNION ALL SELECT 'd', function, count(*) FROM (SELECT function FROM runner.dead_letters LIMIT \(most)) AS e
      GROUP BY function
      """)
    var counts = QueueCounts()
    for row in rows {
      let (function, number): (String, Int) = (try row.decode("function"), try row.decode("number"))
      switch row["place"] {
      case "w": counts.functions[function, default: FunctionCounts()].waiting = number
      case "r": counts.functions[function, default: FunctionCounts()].retrying = number
      default: counts.functions[function, default: FunctionCounts()].dead = number
      }
    }
    counts.signature = try await database.query(
      """
      SELECT concat((SELECT md5(string_agg(s::text, '|' ORDER BY name)) FROM runner.schedules AS s),
        (SELECT c::text FROM runner.clock AS c),
        (SELECT max(fired_at) FROM runner.schedule_fires WHERE fired_at > runner.now() - interval '1 hour')) AS text
      """
    ).only().decode("text")
    return counts
  }
}
