import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// When the next delivery comes due; for leased deliveries, when their lease ends.
  ///
  /// The time is rounded up to whole milliseconds: waking a fraction early would find nothing.
  static func nextDue(of providers: [PushProvider], now: Date) -> SQL {
    """
    SELECT date_trunc('milliseconds', interval '999 microseconds' + least(
      (SELECT not_before FROM deliveries
       WHERE state = 'queued' AND provider = ANY(\(providers.map(\.rawValue))) AND lease_until IS NULL
       ORDER BY not_before LIMIT 1),
      (SELECT \(now)::timestamptz + greatest(min(lease_until) - clock_timestamp(), interval '0') FROM deliveries
       WHERE state = 'queued' AND provider = ANY(\(providers.map(\.rawValue))) AND lease_until IS NOT NULL
         AND not_before <= \(now)
       HAVING count(*) > 0),
      \(firstUnservedExpiry(by: providers))
    )) AS due
    """
  }
}

extension SQL {
  static func unserved(by providers: [PushProvider], _ now: Date) -> SQL {
    guard let others = others(than: providers) else { return "0::bigint" }
    return """
      SELECT count(*) FROM (
        SELECT FROM deliveries WHERE \(others) AND not_before <= \(now) AND expires_at > \(now)
        LIMIT \(DeliveryBatch.countedUnserved)
      ) AS waiting
      """
  }

  private static func firstUnservedExpiry(by providers: [PushProvider]) -> SQL {
    guard let others = others(than: providers) else { return "NULL" }
    return "(SELECT min(greatest(expires_at, not_before)) FROM deliveries WHERE \(others))"
  }

  // The providers are literals, not parameters, so that PostgreSQL can use the index over FCM's deliveries.
  private static func others(than providers: [PushProvider]) -> SQL? {
    let others = PushProvider.allCases.filter { !providers.contains($0) }
    guard !others.isEmpty else { return nil }
    return "state = 'queued' AND provider IN (\(unescaped: others.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
  }
}
