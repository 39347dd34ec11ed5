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
      f.due,
      CASE WHEN f.due <= \(now) THEN NULL ELSE (
        SELECT \(now)::timestamptz + greatest(min(d.lease_until) - clock_timestamp(), interval '0') FROM deliveries d
        WHERE \(isQueued(for: providers)) AND d.lease_until IS NOT NULL AND d.not_before <= \(now)
        HAVING count(*) > 0) END,
      \(firstUnservedExpiry(by: providers))
    )) AS due
    FROM (
      SELECT (
        SELECT d.not_before FROM deliveries d WHERE \(isQueued(for: providers)) AND d.lease_until IS NULL
        ORDER BY d.not_before LIMIT 1) AS due
    ) f
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

  private static func firstUnservedExpiry(by providers: [PushProvider]) -> SQL {
    guard let others = isQueued(besides: providers) else { return "NULL" }
    return """
      (SELECT d.expires_at FROM deliveries d WHERE \(others) AND d.lease_until IS NULL ORDER BY d.expires_at LIMIT 1)
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
    let others = PushProvider.allCases.filter { !providers.contains($0) }
    return others.isEmpty ? nil : isQueued(for: others)
  }
}
