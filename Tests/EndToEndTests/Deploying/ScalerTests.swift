import FunctionKit
import Postgres
import TestSupport
import Testing

/// The query by which KEDA sets the number of runners.
@Suite(.heavy)
struct ScalerTests {
  @Test func itCountsTheKeysThatCanRun() async throws {
    let runner = try await RunningRunner(
      """
      {"migrations":["apps"],"functions":{"echo":{},"vote-cast":{},
        "in-order":{"executable":"echo","key":"id","onFailure":"block",
        "triggers":[{"table":"orders","events":["INSERT"]}]}}}
      """)
    try await runner.copyMigrations()
    try await runner.database.script("CREATE TABLE orders (id text PRIMARY KEY)")
    let migrated = try await runner.run(["migrate"])
    #expect(migrated.exit == 0, "\(migrated.stderr)")
    let written = try await runner.run(["export", "kubernetes", "--out", "-"])
    let lines = written.stdout.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasSuffix("query: >-") })
    let query = lines[(start + 1)...].prefix { $0.hasPrefix("          ") }.joined(separator: " ")
    func count() async throws -> Int {
      try await runner.database.query(SQL(unescaped: "SELECT (\(query)) AS n")).only().decode("n", as: Int.self)
    }
    #expect(try await count() == 0)

    // Three events of one key, one of another, two without a key, and one of a function that is not in the bundle.
    try await runner.database.script(
      """
      INSERT INTO runner.events (partition, id, function, key, data)
      VALUES (0, -1, 'echo', 'a', '{}'), (0, -2, 'echo', 'a', '{}'), (0, -3, 'echo', 'a', '{}'),
        (1, -1, 'echo', 'b', '{}'), (1, -2, 'echo', NULL, '{}'), (1, -3, 'vote-cast', NULL, '{}'),
        (2, -1, 'foreign', 'c', '{}')
      """)

    #expect(try await count() == 4)

    // Of a function whose failures hold their keys: one is held by a dead letter, and one by a retry.
    try await runner.database.script(
      """
      INSERT INTO runner.events (partition, id, function, key, data)
      VALUES (3, -1, 'in-order', 'a', '{}'), (3, -2, 'in-order', 'b', '{}'), (3, -3, 'in-order', 'c', '{}'),
        (3, -4, 'in-order', NULL, '{}');
      INSERT INTO runner.dead_letters (partition, id, function, key, data, attempts, code, error)
      VALUES (3, -9, 'in-order', 'a', '{}', 1, 'X', 'x'), (3, -10, 'echo', 'a', '{}', 1, 'X', 'x');
      INSERT INTO runner.retries (partition, id, function, key, data, attempt, code, error, run_at)
      VALUES (3, -11, 'in-order', 'b', '{}', 1, 'X', 'x', now() + interval '1 hour');
      """)

    #expect(try await count() == 6)
  }
}
