package import Documents
import Manifest
package import Postgres

// Finds what waiting events stand behind.
extension EventCatalogue {
  /// The same events, the waiting ones with the failed event that keeps their key.
  ///
  /// - Parameter events: a page of a list: the tables of failed events are read once for all of them.
  package func withBlockers(_ events: [EventSummary]) async throws(PostgresError) -> [EventSummary] {
    let places = events.compactMap { event -> (partition: Int, number: Int64)? in
      guard event.state == .waiting, manifest[event.function]?.onFailure == .block, let partition = event.partition,
        let number = event.number
      else { return nil }
      return (partition, number)
    }
    guard !places.isEmpty else { return events }
    // Keys are compared in the database only, because a key may be a redacted value.
    let tables: [SQL] = ["retries", "dead_letters"]
    let failed = tables.map { table in
      "SELECT e.partition, e.function, e.key, e.id, \(EventID.column) AS blocker FROM runner.\(table) AS e" as SQL
    }
    let rows = try await database.query(
      """
      SELECT DISTINCT ON (e.partition, e.id) e.partition, e.id, f.blocker
      FROM unnest(\(places.map(\.partition))::smallint[], \(places.map(\.number))::bigint[]) AS l(partition, id)
      JOIN runner.events AS e USING (partition, id)
      JOIN (\(failed[0]) UNION ALL \(failed[1])) AS f
        ON f.partition = e.partition AND f.function = e.function AND f.key = e.key
      ORDER BY e.partition, e.id, f.id
      """)
    var blocked = events
    for row in rows {
      let (partition, number): (Int, Int64) = (try row.decode("partition"), try row.decode("id"))
      for index in blocked.indices where events[index].partition == partition && events[index].number == number {
        blocked[index].blocker = try row.decode("blocker")
      }
    }
    return blocked
  }
}
