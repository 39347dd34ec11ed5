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
