import Synchronization

/// Runs the queries of several tasks together: those of the same text are one statement, and all are one round trip.
///
/// A task waits at its query until each of the others waits too, or has ended. The queries write nothing; some lock.
package final class GatheredQueries: QueryExecutor {
  private struct Request: Sendable {
    let queries: [SQL]
    let next: CheckedContinuation<Next, Never>
  }

  /// How a task goes on after it has asked.
  private enum Next: Sendable {
    case takes(Result<[Rows], PostgresError>)
    /// All others wait: it runs their queries with its own.
    case runs([Request])
  }

  private struct State: Sendable {
    var running: Int
    var requests: [Request] = []

    /// The requests, if all tasks wait, or all but some.
    mutating func takeRequests(ifAllWaitBut some: Int) -> [Request]? {
      guard requests.count + some == running else { return nil }
      defer { requests = [] }
      return requests
    }
  }

  private let transaction: Transaction
  private let state: Mutex<State>

  private init(_ transaction: Transaction, for count: Int) {
    self.transaction = transaction
    state = Mutex(State(running: count))
  }

  /// Runs a body for each value side by side, and returns the answers in the order of the values.
  ///
  /// - Throws: the first error of a body, after all have ended.
  package static func each<Value: Sendable, Answer: Sendable>(
    _ values: [Value], in transaction: Transaction,
    _ body: @escaping @Sendable (Value, GatheredQueries) async throws -> Answer
  ) async throws -> [Answer] {
    let queries = GatheredQueries(transaction, for: values.count)
    return try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
      for (index, value) in values.enumerated() {
        group.addTask {
          let answer: Result<Answer, any Error>
          do { answer = .success(try await body(value, queries)) } catch { answer = .failure(error) }
          await queries.leave()
          return (index, try answer.get())
        }
      }
      var answers = [Answer?](repeating: nil, count: values.count)
      for try await (index, answer) in group { answers[index] = answer }
      return answers.compactMap { $0 }
    }
  }

  /// Runs some statements, then the queries of several askers together, in one round trip.
  ///
  /// - Returns: the answers to the statements, and those to each asker's queries.
  package static func run(
    _ queries: [[SQL]], after first: [SQL], in transaction: Transaction
  ) async throws(PostgresError) -> (first: [Rows], answers: [[Rows]]) {
    let (firstRows, rows) = try await rows(of: queries.flatMap { $0 }, after: first, in: transaction)
    var rest = rows[...]
    let answers = queries.map { queries in
      defer { rest = rest.dropFirst(queries.count) }
      return Array(rest.prefix(queries.count))
    }
    return (firstRows, answers)
  }

  package func query(_ sql: SQL) async throws(PostgresError) -> Rows { try await pipeline([sql])[0] }

  package func pipeline(_ statements: [SQL]) async throws(PostgresError) -> [Rows] {
    guard !statements.isEmpty else { return [] }
    let next = await withCheckedContinuation { continuation in
      let others = state.withLock { state in
        let others = state.takeRequests(ifAllWaitBut: 1)
        if others == nil { state.requests.append(Request(queries: statements, next: continuation)) }
        return others
      }
      if let others { continuation.resume(returning: .runs(others)) }
    }
    switch next {
    case .takes(let answer): return try answer.get()
    case .runs(let others): return try await run(others, with: statements).get()
    }
  }

  /// Takes note that a task asks nothing more.
  private func leave() async {
    let others = state.withLock { state in
      state.running -= 1
      return state.takeRequests(ifAllWaitBut: 0)
    }
    if let others, !others.isEmpty { _ = await run(others, with: []) }
  }

  /// Runs the queries of requests with some own ones, and returns the answers to the own ones.
  private func run(_ requests: [Request], with own: [SQL]) async -> Result<[Rows], PostgresError> {
    do throws(PostgresError) {
      let (_, rows) = try await Self.rows(of: own + requests.flatMap(\.queries), in: transaction)
      var answers = rows.dropFirst(own.count)
      for request in requests {
        request.next.resume(returning: .takes(.success(Array(answers.prefix(request.queries.count)))))
        answers = answers.dropFirst(request.queries.count)
      }
      return .success(Array(rows.prefix(own.count)))
    } catch {
      for request in requests { request.next.resume(returning: .takes(.failure(error))) }
      return .failure(error)
    }
  }

  private static func rows(
    of queries: [SQL], after first: [SQL] = [], in transaction: Transaction
  ) async throws(PostgresError) -> (first: [Rows], rows: [Rows]) {
    var plan = GatheringPlan()
    let places = queries.map { plan.add($0) }
    let statements = plan.groups.map { $0.count == 1 ? $0[0] : SQL.each($0) }
    guard !(first.isEmpty && statements.isEmpty) else { return ([], []) }
    let answers = try await transaction.pipeline(first + statements)
    var parts: [[Rows]] = []
    for (answer, group) in zip(answers.dropFirst(first.count), plan.groups) {
      parts.append(group.count == 1 ? [answer] : try answer.divided(among: group.count))
    }
    return (Array(answers.prefix(first.count)), places.map { parts[$0.group][$0.number] })
  }
}

/// A plan of which queries become one statement.
private struct GatheringPlan {
  /// A query among those of its shape.
  private struct Question: Hashable {
    let group: Int
    let values: SQL.Values
  }

  private(set) var groups: [[SQL]] = []
  private var numbers: [SQL.Shape: Int] = [:]
  /// The number of each query in its group: equal ones are looked up, because a batch may have hundreds of one shape.
  private var known: [Question: Int] = [:]

  /// Adds a query and returns its place; equal queries have the same place.
  mutating func add(_ query: SQL) -> (group: Int, number: Int) {
    guard query.canBeOneOfEach else {
      groups.append([query])
      return (groups.count - 1, 0)
    }
    let shape = SQL.Shape(query)
    let group = numbers[shape] ?? groups.count
    if group == groups.count {
      numbers[shape] = group
      groups.append([])
    }
    let question = Question(group: group, values: SQL.Values(query))
    if let number = known[question] { return (group, number) }
    let number = groups[group].count
    known[question] = number
    groups[group].append(query)
    return (group, number)
  }
}
