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
        return try await DeliveryBatch(lease: lease, rows).withoutUntimely(.late(in: rows), connection, at: now)
      },
      settle: { lease, settlements, now in
        guard !settlements.isEmpty else { return }
        let late = try await connection.query(.settle(settlements, lease: lease, now: now)).decode("id", as: UUID.self)
        guard !late.isEmpty else { return }
        _ = try await connection.query(.log(settlements.filter { late.contains($0.id) }, now: now))
      },
      nextDue: { providers, now in
        try await connection.query(.nextDue(of: providers, now: now)).only().optional("due")
      })
  }
}
