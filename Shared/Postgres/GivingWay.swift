/// Background work gives way to the app: if both wait for each other, the app has to win soon.
///
/// PostgreSQL looks for deadlocks after a second and may end either side. Background work that waits ends after less
/// than half of that time, and is retried.
package enum GivingWay {
  /// How long background work waits for a lock.
  package static let parameter: (name: StaticString, value: StaticString) = ("lock_timeout", "400ms")
  /// The same for one transaction.
  package static let inTransaction: SQL = "SET LOCAL lock_timeout = '400ms'"
  /// In milliseconds, some eight seconds together: a function has at least thirty for an event, and fails after that.
  private static let pauses = [50, 100, 200, 400, 800, 1_600, 3_200, 3_200]

  /// Does work that is a transaction or may be repeated, and retries it if it gave way.
  package static func repeating<Answer, Failure: Error>(
    _ work: () async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    for pause in pauses {
      do throws(Failure) {
        return try await work()
      } catch {
        guard (error as? PostgresError)?.gaveWay == true else { throw error }
      }
      try? await Task.sleep(for: .milliseconds(pause) * .random(in: 0.5...1))
    }
    return try await work()
  }
}

extension PostgresError {
  /// Whether the transaction was rolled back because of a deadlock, or to avoid one.
  package var gaveWay: Bool { sqlState == "40P01" || sqlState == "55P03" }
}
