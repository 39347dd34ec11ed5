import Postgres
import TestSupport

/// Waits for what has to end by itself, and ends a hang.
func patiently<Answer: Sendable>(_ body: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
  try await withThrowingTaskGroup(of: Answer.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: .seconds(120))
      throw ProgramFailure(description: "It hangs.")
    }
    defer { group.cancelAll() }
    guard let answer = try await group.next() else { throw ProgramFailure(description: "There is no answer.") }
    return answer
  }
}

extension Connection {
  /// Waits until a statement is answered; one for which the machine was too slow is sent again.
  func answersAgain() async throws {
    try await patiently {
      while true {
        do throws(PostgresError) {
          _ = try await self.query("select 1")
          return
        } catch {
          guard error.code == .timedOut else { throw error }
        }
      }
    }
  }
}
