import Documents
package import FoundationEssentials
package import Postgres

extension DeadLetters {
  /// How many match, no further than a number, and the events' time.
  package func count(
    _ filter: EventFilter, atMost most: Int
  ) async throws(PostgresError) -> (number: Int, now: Date) {
    let row = try await database.query(
      """
      SELECT count(*) AS number, runner.now() AS now
      FROM (SELECT 1 FROM runner.dead_letters AS e WHERE \(filter.condition(of: .dead)) LIMIT \(most)) AS d
      """
    ).only()
    return (try row.decode("number"), try row.decode("now"))
  }
}
