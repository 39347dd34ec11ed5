package import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
package import StoreLive

extension NotificationStore {
  /// The most people whose notifications are released in one transaction.
  private static let people = 500

  /// Asks the gates again about every held notification that is due, and sends, merges, holds or ends it.
  ///
  /// Each transaction locks its people first. So two concurrent releases take different people, and a concurrent
  /// release and event see each other's pushes.
  /// - Throws: ``FunctionError``, ``FunctionError/Code/unavailable`` if a retry makes sense.
  package func release(at now: Date, dryRun: Bool) async throws -> ReleaseResult {
    var result = ReleaseResult()
    do {
      for app in App.allCases {
        var hasMore = true
        while hasMore {
          let released: ReleaseResult
          (released, hasMore) = try await GivingWay.repeating {
            var one = result
            let hasMore = try await connection.transaction(readOnly: dryRun) { transaction in
              try await release(app, at: now, dryRun, &one, transaction)
            }
            return (one, hasMore)
          }
          result = released
        }
      }
      let rows = try await connection.query("SELECT min(held_until) AS next FROM held_notifications")
      result.wakeAt = try rows.only().optional("next")
    } catch let error as PostgresError {
      throw FunctionError(database: error)
    }
    return result
  }

  /// Releases what is due for some people of an app; `true` if there may be more.
  private func release(
    _ app: App, at now: Date, _ dryRun: Bool, _ result: inout ReleaseResult, _ transaction: Transaction
  ) async throws -> Bool {
    let limit = dryRun ? 100_000 : Self.people
    let people: [UUID] = try await transaction.query(.due(in: app, limit: limit, at: now)).decode("user_id")
    guard !people.isEmpty else { return false }
    if !dryRun { _ = try await transaction.query(.lockState(of: people, in: app)) }
    let due: SQL = .subjectsDue(for: people, in: app, at: now)
    let rows = try await transaction.pipeline([
      .waiting(of: people, in: app, at: now), .recentPushes(of: people, in: app, at: now),
      .shown(due, in: app, at: now), .states(due, in: app),
    ])
    var zones = Zones()
    var found: [Waiting] = []
    var releases: [Release] = []
    for row in rows[0] {
      guard let part = try Waiting(row, of: app, at: now, &zones) else {
        // A kind that this version does not know stays in the inbox and is not tried again.
        releases.append(Release(givingUp: try row.decode("notification_id"), at: now))
        continue
      }
      found.append(part)
    }
    let current = try await CurrentFacts(of: found, at: now, transaction)
    let waiting = Dictionary(grouping: found.map { $0.orGone(current) }, by: \.candidate.user)
    let pushes = try rows[1].grouped { row in try row.decode("pushed_at", as: Date.self) }
    let phones = try Phone.phones(shown: rows[2], states: rows[3])
    for person in people {
      guard let parts = waiting[person] else { continue }
      releases.append(
        try Release(parts, recentPushes: pushes[person] ?? [], phone: phones[person] ?? Phone(), at: now))
    }
    result.add(releases)
    guard !dryRun else { return false }
    _ = try await transaction.pipeline(SQL.write(releases, at: now))
    return people.count == limit
  }
}

extension ReleaseResult {
  fileprivate mutating func add(_ releases: [Release]) {
    for release in releases {
      released += release.pushes.count + (release.summary == nil ? 0 : 1)
      summarized += release.summary?.entries.count ?? 0
      merged += release.merged.count
      held += release.held.count
      suppressed += release.suppressed.count
    }
  }
}
