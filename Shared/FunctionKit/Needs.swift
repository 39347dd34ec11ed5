import Synchronization

/// What a function needs besides itself, such as its database, and how to find out whether it is there.
package final class Needs: Sendable {
  /// Throws if it is not there.
  package typealias Check = @Sendable () async throws -> Void

  private let checks = Mutex<[(name: String, check: Check)]>([])

  init() {}

  /// Adds one.
  ///
  /// - Parameter name: such as `database`; what `/_/ready` shows.
  package func add(_ name: String, _ check: @escaping Check) {
    checks.withLock { $0.append((name, check)) }
  }

  /// The names of those that are not there, each once.
  func missing() async -> [String] {
    var missing: [String] = []
    for (name, check) in checks.withLock({ $0 }) where !missing.contains(name) {
      do { try await check() } catch { missing.append(name) }
    }
    return missing
  }
}
