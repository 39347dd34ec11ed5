extension Session {
  /// Runs one statement; its failure needs no index.
  func query(_ sql: SQL) throws(PostgresError) -> Rows {
    do throws(PostgresError) {
      return try pipeline([sql])[0]
    } catch {
      throw error.with { $0.statementIndex = nil }
    }
  }

  /// Repeats a request that failed, without effect, because a plan had outlived a change of its tables.
  ///
  /// Inside a transaction that is of no use: the failure has ended the transaction.
  func withFreshPlans<Answer>(
    _ request: () throws(PostgresError) -> Answer
  ) throws(PostgresError) -> Answer {
    do throws(PostgresError) {
      return try request()
    } catch {
      guard error.isStalePlan else { throw error }
      return try request()
    }
  }
}
