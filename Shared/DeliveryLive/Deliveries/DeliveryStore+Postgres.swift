import FoundationEssentials
public import FunctionKit
public import Notifications
public import Postgres

extension DeliveryStore {
  /// The queue in the table `deliveries`; every closure throws `PostgresError`.
  ///
  /// Leases run by the database's real clock, so that a virtual one neither ends nor prolongs them; everything else
  /// is compared with the time that the caller gives.
  /// - Parameter log: told of answers that the database refuses.
  public static func postgres(_ connection: Connection, log: Log = Log()) -> DeliveryStore {
    let answers = KeptAnswers(connection, log)
    return DeliveryStore(
      claim: { limit, providers, now in
        _ = try await answers.settleKept()
        let lease = UUID()
        let rows = try await connection.query(
          .claim(lease: lease, limit: limit, of: providers, besides: answers.leases, now: now))
        do {
          return try await DeliveryBatch(lease: lease, rows).withoutUntimely(.late(in: rows), connection, at: now)
        } catch {
          // Nobody sends these: they need not wait for the end of their lease.
          _ = try? await connection.query(.free(lease))
          throw error
        }
      },
      settle: { lease, settlements, now in
        if !settlements.isEmpty { try await answers.settle(lease, settlements, now) }
      },
      settleKept: { try await answers.settleKept() },
      nextDue: { providers, now in
        let due = try await connection.query(.nextDue(of: providers, now: now)).only().optional("due", as: Date.self)
        // An answer for a row that somebody has locked is not written down yet.
        return answers.leases.isEmpty ? due : min(due ?? .distantFuture, now + 1)
      })
  }
}

extension SQL {
  /// Gives back what a claim has leased.
  fileprivate static func free(_ lease: UUID) -> SQL {
    """
    UPDATE deliveries SET lease_id = NULL, lease_until = NULL, unsettled = greatest(unsettled - 1, 0)
    WHERE id IN (SELECT id FROM deliveries WHERE lease_id = \(lease) FOR NO KEY UPDATE SKIP LOCKED)
    """
  }
}
