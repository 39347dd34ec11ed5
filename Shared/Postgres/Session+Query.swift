extension Session {
  /// Runs one statement; its failure needs no index.
  func query(_ sql: SQL) throws(PostgresError) -> Rows {
    do throws(PostgresError) {
      return try pipeline([sql])[0]
    } catch {
      throw error.with { $0.statementIndex = nil }
    }
  }

  /// Repeats a request that failed without effect, because its plan was older than a change of its tables.
  ///
  /// Inside a transaction this does not help: the failure has ended the transaction.
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
