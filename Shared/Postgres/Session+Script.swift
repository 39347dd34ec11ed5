import CPostgres

extension Session {
  /// Runs any number of statements without parameters; those outside of `BEGIN … COMMIT` are one transaction.
  func script(_ text: String) throws(PostgresError) {
    guard !text.containsNUL else { throw PostgresError(.usage, "SQL text cannot hold U+0000.") }
    try beginIfNeeded()
    hasSent = true
    let (text, added) = withSettings(text)
    guard PQsendQuery(raw, text) == 1 else { throw lost() }

    var failure: PostgresError?
    var finished = -added
    while let result = try nextResult() {
      switch result.status {
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
        isAbandoned = true
        throw PostgresError(.usage, "COPY has its own call.", outcomeIsUnknown: true)
      case _ where result.isError:
        failure = PostgresError(result, of: text)
        failure?.statementIndex = max(0, finished)
      default: finished += 1
      }
    }
    try finish(failure)
  }
}
