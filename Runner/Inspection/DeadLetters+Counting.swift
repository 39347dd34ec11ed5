package import Postgres

extension DeadLetters {
  /// How many match, no further than a number.
  package func count(_ filter: EventFilter, atMost most: Int) async throws(PostgresError) -> Int {
    try await database.query(
      """
      SELECT count(*) AS number
      FROM (SELECT 1 FROM runner.dead_letters AS e WHERE \(filter.condition(of: .dead)) LIMIT \(most)) AS d
      """
    ).only().decode("number")
  }
}
