import FoundationEssentials
package import FunctionKit
package import Notifications
package import Postgres
import StoreLive

extension DeliveryStore {
  /// The queue in the table `deliveries`; every closure throws `PostgresError`.
  ///
  /// Leases use the database's real clock, so that a virtual clock neither ends nor extends them. Everything else uses
  /// the caller's time.
  /// - Parameters:
  ///   - second: another connection that writes answers, so that those of two batches can be written at once.
  ///   - claims: the connection that leases batches, so that the next one need not wait until answers are written;
  ///     `nil` for the same one.
  ///   - log: gets a line for answers that the database refuses, and for notes that it refuses.
  package static func postgres(
    _ connection: Connection, _ second: Connection? = nil, claims: Connection? = nil, log: Log = Log()
  ) -> DeliveryStore {
    let answers = KeptAnswers([connection, second].compactMap(\.self), log)
    let claims = claims ?? connection
    let notes = ProviderNotes(log)
    return DeliveryStore(
      claim: { limit, providers, now in
        _ = try await answers.settleKept()
        let lease = UUID.lease()
        // A claim may wait for a device whose answer is being written.
        let rows = try await GivingWay.repeating { () throws(PostgresError) in
          try await claims.query(
            .claim(lease: lease, limit: limit, of: providers, besides: answers.leases, now: now))
        }
        do {
          let batch = try DeliveryBatch(lease: lease, rows)
          let timely = try await batch.withoutUntimely(.late(in: rows), claims, at: now).countingVoters(claims, at: now)
            .tellingActivities(claims, at: now, log)
          await notes.write(serving: providers, after: batch, claims, at: now)
          return timely
        } catch {
          // Nobody will send these, so they need not wait for the end of their lease.
          _ = try? await claims.query(.free(lease, at: now))
          throw error
        }
      },
      settle: { lease, settlements, now in
        if !settlements.isEmpty { try await answers.settle(lease, settlements, now) }
      },
      settleKept: { try await answers.settleKept() },
      nextDue: { providers, now in
        _ = try await connection.query(.deliveriesSinceNow(now))
        let due = try await connection.query(.nextDue(of: providers, now: now)).only().optional("due", as: Date.self)
        // An answer for a locked row is not written yet.
        return answers.leases.isEmpty ? due : min(due ?? .distantFuture, now + 1)
      })
  }
}

extension UUID {
  /// A new lease: a random UUID of version 8.
  ///
  /// Older runners lease by those of version 4, and the database keeps them from activities that they do not know.
  fileprivate static func lease() -> UUID {
    var bytes = UUID().uuid
    bytes.6 = bytes.6 & 0x0F | 0x80
    return UUID(uuid: bytes)
  }
}

extension SQL {
  /// Releases a claim's lease: its pushes are not sent.
  fileprivate static func free(_ lease: UUID, at now: Date) -> SQL {
    """
    WITH freed AS (
      UPDATE deliveries SET lease_id = NULL, lease_until = NULL, unsettled = greatest(unsettled - 1, 0), badge = NULL
      WHERE id IN (SELECT id FROM deliveries WHERE lease_id = \(lease) FOR NO KEY UPDATE SKIP LOCKED)
      RETURNING device_token_id, notification_id
    ), unsent AS (
      SELECT f.device_token_id AS id, count(*) AS places
      FROM freed f JOIN notifications n ON n.id = f.notification_id WHERE \(isQuiet) GROUP BY 1
    )
    UPDATE device_tokens t SET quiet_pushes = \(quietPushes(without: "u.places", claimedAt: now))
    FROM unsent u WHERE t.id = u.id
    """
  }
}

extension SQL {
  /// When there is next something to claim: a delivery comes due, or one of another provider expires.
  ///
  /// The time is rounded up to whole milliseconds: waking a fraction early would find nothing.
  static func nextDue(of providers: [PushProvider], now: Date) -> SQL {
    let served = next(by: "d.not_before", isQueued(for: providers), now)
    let lapsing = isQueued(besides: providers).map { next(by: "d.expires_at", $0, now) } ?? "NULL::timestamptz"
    return "SELECT date_trunc('milliseconds', interval '999 microseconds' + least(\(served), \(lapsing))) AS due"
  }

  /// When the first of some queued deliveries can be taken, after a time that each has and the end of its lease.
  ///
  /// The process that has leased a delivery may have ended since, and no other may wake. So a lease hides no time that
  /// is yet to come, and a delivery that is leased at its time is taken when the lease ends.
  private static func next(by time: SQL, _ isQueued: SQL, _ now: Date) -> SQL {
    """
    (
      SELECT least(
        f.time,
        (SELECT \(time) FROM deliveries d WHERE \(isQueued) AND \(time) > \(now) ORDER BY \(time) LIMIT 1),
        CASE WHEN f.time <= \(now) THEN NULL ELSE (
          SELECT \(now)::timestamptz
            + min(CASE WHEN \(isFree) THEN interval '0' ELSE d.lease_until - clock_timestamp() END)
          FROM deliveries d WHERE \(isQueued) AND d.lease_until IS NOT NULL AND \(time) <= \(now)) END)
      FROM (
        SELECT (
          SELECT \(time) FROM deliveries d WHERE \(isQueued) AND d.lease_until IS NULL ORDER BY \(time) LIMIT 1) AS time
      ) f
    )
    """
  }
}

extension SQL {
  static func unserved(by providers: [PushProvider], _ now: Date) -> SQL {
    guard let others = isQueued(besides: providers) else { return "0::bigint" }
    return """
      SELECT count(*) FROM (
        SELECT FROM deliveries d WHERE \(others) AND d.not_before <= \(now) AND d.expires_at > \(now)
        LIMIT \(DeliveryBatch.countedUnserved)
      ) AS waiting
      """
  }

  /// Whether a delivery `d` is queued for one of some providers.
  ///
  /// They are literals, not parameters, so that PostgreSQL can use the index of one provider's deliveries.
  static func isQueued(for providers: [PushProvider]) -> SQL {
    guard providers.count < PushProvider.allCases.count else { return "d.state = 'queued'" }
    guard !providers.isEmpty else { return "false" }
    let names = providers.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    return "d.state = 'queued' AND d.provider IN (\(unescaped: names))"
  }

  /// Whether a delivery `d` is queued for another provider than some; `nil` if there is no other.
  static func isQueued(besides providers: [PushProvider]) -> SQL? {
    let rest = others(than: providers)
    return rest.isEmpty ? nil : isQueued(for: rest)
  }

  private static func others(than providers: [PushProvider]) -> [PushProvider] {
    PushProvider.allCases.filter { !providers.contains($0) }
  }
}
