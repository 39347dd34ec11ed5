import FoundationEssentials
import Notifications
import Postgres
import StoreLive

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
