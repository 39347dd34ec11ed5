import FoundationEssentials
import FunctionKit
package import Notifications
package import Postgres
import Synchronization

/// Notes which providers a process serves and which it does not, for people who ask why pushes wait.
///
/// A provider that any process serves is served, whatever others note. A note that cannot be written keeps nothing from
/// being sent.
final class ProviderNotes: Sendable {
  /// Much shorter than the minute for which a provider counts as served.
  private static let pause = Duration.seconds(10)
  private static let pauseAfterFailure = Duration.seconds(60)

  private let log: Log
  private let state = Mutex(State())

  private struct State {
    /// The providers of the last note.
    var providers: [PushProvider]?
    var next = ContinuousClock.now
    var hasFailed = false
  }

  init(_ log: Log) {
    self.log = log
  }

  /// Notes it after a claim that has found something, from time to time.
  func write(
    serving providers: [PushProvider], after batch: DeliveryBatch, _ connection: Connection, at now: Date
  ) async {
    guard batch.taken + batch.unserved > 0, isDue(providers) else { return }
    do throws(PostgresError) {
      _ = try await connection.query(.note(serving: providers, because: nil, at: "\(now)::timestamptz"))
    } catch {
      guard isFirstFailure() else { return }
      log.warning(
        "Which providers are served cannot be noted; pushes are sent all the same",
        ["error.cause": String(reflecting: error)])
    }
  }

  private func isDue(_ providers: [PushProvider]) -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      guard state.providers != providers || now >= state.next else { return false }
      (state.providers, state.next) = (providers, now + Self.pause)
      return true
    }
  }

  private func isFirstFailure() -> Bool {
    state.withLock { state in
      state.next = .now + Self.pauseAfterFailure
      defer { state.hasFailed = true }
      return !state.hasFailed
    }
  }
}

extension DeliveryStore {
  /// Notes that a process sends nothing to any provider, because it cannot begin to.
  /// - Parameter reason: why, in words; `nil` if none is configured.
  package static func noteNothingIsSent(because reason: String?, _ connection: Connection) async throws(PostgresError) {
    _ = try await connection.query(.note(serving: [], because: reason, at: "push_now()"))
  }
}

extension SQL {
  /// A process that serves a provider deletes what others have noted of it.
  ///
  /// Other processes write only what is new.
  fileprivate static func note(serving providers: [PushProvider], because reason: String?, at time: SQL) -> SQL {
    let all = PushProvider.allCases
    let reasons: [String?] = all.map { providers.contains($0) ? nil : reason ?? $0.absence }
    return """
      INSERT INTO push_providers AS p (provider, served_until, reason, since)
      SELECT n.provider, CASE WHEN n.reason IS NULL THEN clock_timestamp() + interval '1 minute' END, n.reason,
        CASE WHEN n.reason IS NOT NULL THEN \(time) END
      FROM \(.rows("n", ["provider": "\(all.map(\.rawValue))", "reason": "\(reasons)"])) ORDER BY 1
      ON CONFLICT (provider) DO UPDATE
      SET served_until = coalesce(excluded.served_until, p.served_until), reason = excluded.reason,
        since = CASE WHEN excluded.reason IS NOT NULL THEN coalesce(p.since, excluded.since) END
      WHERE excluded.reason IS NULL OR excluded.reason IS DISTINCT FROM p.reason
      """
  }
}
