import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension ReleaseRun {
  /// Releases what is due for some people of an app, in one transaction.
  static func release(
    _ people: [UUID], of app: App, at now: Date, _ connection: Connection
  ) async throws -> [Release] {
    try await connection.transaction { transaction in
      try await lock(people, of: app, transaction)
      let releases = try await decide(on: people, of: app, at: now, transaction)
      _ = try await transaction.pipeline(SQL.write(releases, at: now) + SQL.queueAgain(people, of: app, at: now))
      return releases
    }
  }

  /// Locks what decides about people: their state first, and their places in the queue last.
  static func lock(_ people: [UUID], of app: App, _ transaction: Transaction) async throws {
    _ = try await transaction.pipeline([
      GivingWay.inTransaction, .lockState(of: people, in: app), .lockPlaces(of: people, in: app),
    ])
  }

  static func decide(
    on people: [UUID], of app: App, at now: Date, _ transaction: Transaction
  ) async throws -> [Release] {
    let due: SQL = .due(for: people, in: app, limit: mostOfOne, at: now)
    let subjects: SQL = .subjects(of: due)
    let rows = try await transaction.pipeline([
      .waiting(due, in: app, at: now), .recentPushes(of: people, in: app, at: now), .shown(subjects, in: app, at: now),
      .states(subjects, in: app),
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
    let rechecks = try Recheck.of(rows[1], at: now)
    let phones = try Phone.phones(shown: rows[2], states: rows[3])
    for person in people {
      guard let parts = waiting[person] else { continue }
      releases.append(
        try Release(parts, rechecks[person] ?? Recheck(at: now), phone: phones[person] ?? Phone()))
    }
    return releases
  }
}
