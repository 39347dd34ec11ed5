import CPostgres

extension Session {
  /// Runs statements in one round trip and one transaction; the first failure undoes them all.
  ///
  /// A new statement is prepared in the same round trip; behind a pooler none is, and the session's parameters are set
  /// for the transaction alone.
  func pipeline(_ statements: [SQL]) throws(PostgresError) -> [Rows] {
    try pipeline(statements, meanwhile: {}).rows
  }

  /// Runs statements as ``pipeline(_:)`` does, and a body while the server works on them.
  func pipeline<Answer>(
    _ statements: [SQL], meanwhile body: () -> Answer
  ) throws(PostgresError) -> (rows: [Rows], answer: Answer) {
    for (index, sql) in statements.enumerated() {
      guard let problem = sql.problem else { continue }
      var error = PostgresError(.usage, problem)
      error.statementIndex = index
      throw error
    }
    let opening = [beginning, settingsOfTransaction].compactMap(\.self)
    beginning = nil
    if self.statements.isFull {
      try script("deallocate all")
      self.statements.removeAll()
    }

    guard PQenterPipelineMode(raw) == 1 else { throw lost() }
    var plan = Plan()
    for sql in opening + statements { try send(sql, &plan) }
    // It sends as much as the socket takes; the rest goes with the waiting for answers.
    guard PQpipelineSync(raw) == 1 else { throw lost() }
    let answer = body()

    let answers = try receive(plan)
    guard PQexitPipelineMode(raw) == 1 else { throw lost() }
    if answers.failure?.isStalePlan == true { self.statements.removeAll() }
    try finish(answers.failure?.with { $0.statementIndex = $0.statementIndex.map { max(0, $0 - opening.count) } })
    return (Array(answers.rows.dropFirst(opening.count)), answer)
  }

  /// Sends the `BEGIN` by itself, before a request that cannot be part of a pipeline.
  func beginIfNeeded() throws(PostgresError) {
    if beginning != nil { _ = try pipeline([]) }
  }

  /// What was sent, in its order.
  private struct Plan {
    enum Step {
      case prepare(StatementCache.Key, name: String)
      case execute
    }
    var steps: [Step] = []
    var names: [StatementCache.Key: String] = [:]
  }

  private func send(_ sql: SQL, _ plan: inout Plan) throws(PostgresError) {
    let types = sql.parameters.map(\.oid)
    hasSent = true
    guard !string.isPooled else {
      let isSent = sql.parameters.withArguments {
        PQsendQueryParams(raw, sql.text, $0, types, $1, $2, $3, 0)
      }
      guard isSent == 1 else { throw lost() }
      plan.steps.append(.execute)
      return
    }
    let key = StatementCache.Key(text: sql.text, types: types)
    let name: String
    if let known = statements.name(of: key) ?? plan.names[key] {
      name = known
    } else {
      name = statements.newName()
      guard PQsendPrepare(raw, name, key.text, Int32(types.count), types) == 1 else { throw lost() }
      plan.names[key] = name
      plan.steps.append(.prepare(key, name: name))
    }
    guard sql.parameters.withArguments({ PQsendQueryPrepared(raw, name, $0, $1, $2, $3, 0) }) == 1 else {
      throw lost()
    }
    plan.steps.append(.execute)
  }

  private func receive(_ plan: Plan) throws(PostgresError) -> (rows: [Rows], failure: PostgresError?) {
    var rows: [Rows] = []
    var failure: PostgresError?
    for step in plan.steps {
      while let result = try nextResult() {
        switch (result.status, step) {
        case (PGRES_COMMAND_OK, .prepare(let key, let name)): statements.insert(key, name: name)
        case (PGRES_TUPLES_OK, .execute), (PGRES_COMMAND_OK, .execute), (PGRES_EMPTY_QUERY, .execute):
          rows.append(Rows(result))
        case (PGRES_PIPELINE_ABORTED, _): break
        case _ where result.isError && failure == nil:
          failure = PostgresError(result)
          failure?.statementIndex = rows.count
        default:
          isAbandoned = true
          throw PostgresError(.usage, "COPY has its own call.", outcomeIsUnknown: true)
        }
      }
    }
    // The answer to the only synchronisation: the server has committed or rolled back.
    guard try nextResult()?.status == PGRES_PIPELINE_SYNC else { throw lost() }
    return (rows, failure)
  }
}
