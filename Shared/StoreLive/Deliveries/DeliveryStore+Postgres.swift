import FoundationEssentials
public import Notifications
public import Postgres

extension DeliveryStore {
  /// The queue in the table `deliveries`; every closure throws `PostgresError`.
  ///
  /// Leases run by the database's real clock, so that a virtual one neither ends nor prolongs them; everything else
  /// is compared with the time that the caller gives.
  public static func postgres(_ connection: Connection) -> DeliveryStore {
    DeliveryStore(
      claim: { limit, providers, now in
        let lease = UUID()
        let rows = try await connection.query(.claim(lease: lease, limit: limit, of: providers, now: now))
        do {
          return try await DeliveryBatch(lease: lease, rows).withoutUntimely(.late(in: rows), connection, at: now)
        } catch {
          // Nobody sends these: they need not wait for the end of their lease.
          _ = try? await connection.query(.free(lease))
          throw error
        }
      },
      settle: { lease, settlements, now in
        guard !settlements.isEmpty else { return }
        let late = try await connection.settle(settlements.sorted { $0.id.uuidString < $1.id.uuidString }, lease, now)
        guard !late.isEmpty else { return }
        _ = try await connection.query(.log(settlements.filter { late.contains($0.id) }, now: now))
      },
      nextDue: { providers, now in
        try await connection.query(.nextDue(of: providers, now: now)).only().optional("due")
      })
  }
}

extension Connection {
  /// Writes results down, in the order of the ids and again after a deadlock: what was accepted must not be sent twice.
  fileprivate nonisolated func settle(
    _ settlements: [DeliverySettlement], _ lease: UUID, _ now: Date
  ) async throws(PostgresError) -> [UUID] {
    for _ in 1...5 {
      do throws(PostgresError) {
        return try await query(.settle(settlements, lease: lease, now: now)).decode("id")
      } catch {
        guard error.code == .sqlState("40P01") else { throw error }
      }
    }
    return try await query(.settle(settlements, lease: lease, now: now)).decode("id")
  }
}

extension SQL {
  /// Gives back what a claim has leased.
  fileprivate static func free(_ lease: UUID) -> SQL {
    "UPDATE deliveries SET lease_id = NULL, lease_until = NULL WHERE lease_id = \(lease)"
  }
}
