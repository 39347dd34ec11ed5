import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// The queries of several tasks as one statement.
@Suite(.heavy)
struct GatheredQueriesTests {
  private func gathered<Value: Sendable, Answer: Sendable>(
    _ values: [Value], _ body: @escaping @Sendable (Value, GatheredQueries) async throws -> Answer
  ) async throws -> [Answer] {
    let connection = try TemporaryPostgres.statelessConnection()
    return try await connection.transaction { transaction in
      try await GatheredQueries.each(values, in: transaction, body)
    }
  }

  @Test func eachTaskGetsItsOwnRowsInTheirOrder() async throws {
    let answers = try await gathered([3, 0, 2]) { count, queries in
      try await queries.query("SELECT i AS n FROM generate_series(1, \(count)) AS i ORDER BY i DESC")
        .decode("n", as: Int.self)
    }
    #expect(answers == [[3, 2, 1], [], [2, 1]])
  }

  @Test func aListOfEachTaskIsItsOwn() async throws {
    let lists: [[String?]] = [["a", nil], [], ["b"], ["", "c", "d"]]
    let answers = try await gathered(lists) { list, queries in
      try await queries.query(
        "SELECT \(list)::text[] AS list, cardinality(\(list)) AS count, \("x") || coalesce((\(list))[1], '-') AS first"
      ).only()
    }
    #expect(try answers.map { try $0.decode("count", as: Int.self) } == [2, 0, 1, 3])
    #expect(try answers.map { try $0.decode("first", as: String.self) } == ["xa", "x-", "xb", "x"])
    #expect(try answers.map { try $0.decode("list", as: [String?].self) } == lists)
  }

  @Test func listsThatAreAllEmptyStayEmpty() async throws {
    let answers = try await gathered([1, 2]) { number, queries in
      try await queries.query("SELECT cardinality(\([UUID]())) + \(number) AS n").only().decode("n", as: Int.self)
    }
    #expect(answers == [1, 2])
  }

  @Test func valuesOfEveryTypeAndNULLComeBack() async throws {
    let (id, time) = (UUID(), Date(timeIntervalSince1970: 1_700_000_000.25))
    let values: [UUID?] = [id, nil]
    let answers = try await gathered(values) { value, queries in
      try await queries.query("SELECT \(value as UUID?) AS id, \(time) AS time, \(1.5) AS half").only()
    }
    #expect(try answers.map { try $0.optional("id", as: UUID.self) } == values)
    #expect(try answers.map { try $0.decode("time", as: Date.self) } == [time, time])
    #expect(answers.map { $0["half"] } == ["1.5", "1.5"])
  }

  @Test func wordsThatOnlyLookEqualAreAskedEach() async throws {
    let answers = try await gathered(["\u{E9}", "e\u{301}", "\u{E9}"]) { word, queries in
      try await queries.query("SELECT octet_length(\(word)::text)::bigint AS n").only().decode("n", as: Int.self)
    }
    #expect(answers == [2, 3, 2])
  }

  @Test func queriesOfOneShapeAreOneStatement() async throws {
    let answers = try await gathered([1, 2, 3]) { number, queries in
      let rows = try await queries.pipeline([
        "SELECT \(number) AS n, statement_timestamp() AS time", "SELECT \("same") AS word, pg_current_xact_id() AS id",
      ])
      return (try rows[0].only().decode("n", as: Int.self), rows[1].first?["id"])
    }
    #expect(answers.map(\.0) == [1, 2, 3])
    #expect(Set(answers.map(\.1)).count == 1)
  }

  @Test func aTaskThatAsksMoreWaitsForNobodyWhoHasEnded() async throws {
    let answers = try await gathered([0, 1, 2, 3]) { count, queries in
      var sum = 0
      for number in 0..<count {
        sum += try await queries.query("SELECT \(number) + 10 AS n").only().decode("n", as: Int.self)
      }
      return sum
    }
    #expect(answers == [0, 10, 21, 33])
  }

  @Test func aFailureReachesAllTasks() async throws {
    await #expect(throws: PostgresError.self) {
      try await gathered([1, 0]) { divisor, queries in
        try await queries.query("SELECT 1 / \(divisor)").count
      }
    }
  }

  @Test func aTaskThatThrowsDoesNotHoldUpTheOthers() async throws {
    await #expect(throws: StillThere.self) {
      try await gathered([1, 2, 3]) { number, queries in
        if number == 2 { throw StillThere() }
        return try await queries.query("SELECT \(number) AS n").count
      }
    }
  }

  @Test(arguments: [[1, 2], []])
  func statementsRunBeforeTheQueriesOfSeveral(_ numbers: [Int]) async throws {
    let connection = try TemporaryPostgres.statelessConnection()
    let (first, answers) = try await connection.transaction { transaction in
      try await transaction.script("CREATE TEMPORARY TABLE t (n bigint) ON COMMIT DROP")
      let queries: [[SQL]] = numbers.map { number in
        [SQL](repeating: "SELECT sum(n)::bigint + \(number) AS n FROM t", count: number)
      }
      return try await GatheredQueries.run(
        [[]] + queries, after: ["INSERT INTO t VALUES (\(10))", "SELECT n FROM t"], in: transaction)
    }
    #expect(first.map(\.count) == [0, 1])
    #expect(try first[1].only().decode("n", as: Int.self) == 10)
    #expect(answers.map(\.count) == [0] + numbers)
    let sums = try answers.joined().map { try $0.only().decode("n", as: Int.self) }
    #expect(sums == numbers.flatMap { Array(repeating: $0 + 10, count: $0) })
  }
}
