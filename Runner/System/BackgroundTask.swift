package import FunctionKit

/// Short work that nobody waits for, by its name.
///
/// A failure is logged with the name. What works until it is told to end is a part of the server instead.
package enum BackgroundTask {
  /// Starts work that cannot fail.
  @RunnerLoop @discardableResult
  package static func start(_ name: String, _ work: @escaping @RunnerLoop () async -> Void) -> Task<Void, Never> {
    Task(name: name) { await work() }
  }

  /// Starts work that may fail.
  @RunnerLoop @discardableResult
  package static func start(
    _ name: String, log: Log, _ work: @escaping @RunnerLoop () async throws -> Void
  ) -> Task<Void, Never> {
    start(name) {
      do { try await work() } catch {
        log.warning("Work in the background failed", ["work": name, "error.cause": "\(error)"])
      }
    }
  }
}
