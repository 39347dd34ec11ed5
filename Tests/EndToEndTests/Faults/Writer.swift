import Postgres
import Synchronization

/// Commits row after row under a key of its own, no matter what happens to the server meanwhile.
///
/// A row whose commit is in doubt is written again, which does nothing where it is there: so each row is one change,
/// and each transaction begins after the one before it had committed.
final class Writer: Sendable {
  let key: String
  private let first: Int
  private let connection: Connection
  private let statements: @Sendable (_ n: Int, _ key: String) -> [SQL]
  private let isStopping = Atomic(false)

  /// - Parameters:
  ///   - number: which of at most a thousand writers it is, from 0.
  ///   - besides: what it writes into other tables in the same transactions; has to do nothing when it is repeated.
  init(
    _ number: Int, url: String, besides: @escaping @Sendable (_ n: Int, _ key: String) -> [SQL] = { _, _ in [] }
  ) {
    key = "writer-\(number)"
    first = number * 1_000_000
    connection = Connection(url: url, applicationName: "writer", connectTimeout: .seconds(2))
    statements = { n, key in
      [insertion(n, key)] + besides(n, key)
    }
  }

  /// Writes until ``stop()``, with a pause after each row.
  func run(pausing pause: Duration) async throws {
    var n = first
    while !isStopping.load(ordering: .relaxed) {
      if (try? await connection.pipeline(statements(n, key))) != nil { n += 1 }
      try await Task.sleep(for: pause)
    }
    // The last may be in doubt.
    while (try? await connection.pipeline(statements(n, key))) == nil { try await Task.sleep(for: .milliseconds(50)) }
    await connection.close()
  }

  func stop() {
    isStopping.store(true, ordering: .relaxed)
  }
}

private func insertion(_ n: Int, _ key: String) -> SQL {
  "INSERT INTO entries (number, key) VALUES (\(n), \(key)) ON CONFLICT DO NOTHING"
}

/// Writes with several writers for as long as a body runs.
func writing(
  _ writers: [Writer], pausing pause: Duration = .milliseconds(20), while body: () async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for writer in writers { group.addTask { try await writer.run(pausing: pause) } }
    do {
      try await body()
    } catch {
      writers.forEach { $0.stop() }
      group.cancelAll()
      throw error
    }
    writers.forEach { $0.stop() }
    try await group.waitForAll()
  }
}
