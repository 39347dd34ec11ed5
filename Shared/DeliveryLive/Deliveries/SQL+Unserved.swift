import FoundationEssentials
package import Notifications
package import Postgres

extension DeliveryStore {
  /// Notes that nothing is sent to any provider, as a process does that cannot begin to send.
  /// - Parameter reason: why, in words; `nil` if none is configured.
  package static func noteNothingIsSent(because reason: String?, _ connection: Connection) async throws(PostgresError) {
    _ = try await connection.query("WITH \(SQL.noted(serving: [], because: reason, at: "push_now()")) SELECT")
  }
}

extension SQL {
  /// Notes which providers are served, and that the others are not configured, as parts of a statement.
  static func noted(serving providers: [PushProvider], now: Date) -> SQL {
    noted(serving: providers, because: nil, at: "\(now)::timestamptz")
  }

  // It writes only what is new: mostly nothing.
  fileprivate static func noted(serving providers: [PushProvider], because reason: String?, at time: SQL) -> SQL {
    let rest = others(than: providers)
    let (names, reasons) = (rest.map(\.rawValue), rest.map { reason ?? $0.absence })
    return """
      unserved AS (
        SELECT * FROM \(.rows("u", ["provider": "\(names)", "reason": "\(reasons)"]))
      ), is_served AS (
        DELETE FROM push_unserved WHERE provider = ANY (\(providers.map(\.rawValue)))
      ), is_not_served AS (
        INSERT INTO push_unserved (provider, reason, since)
        SELECT u.provider, u.reason, \(time) FROM unserved u
        WHERE NOT EXISTS (SELECT FROM push_unserved k WHERE k.provider = u.provider AND k.reason = u.reason)
        ON CONFLICT (provider) DO UPDATE SET reason = excluded.reason
      )
      """
  }
}
