extension NotificationResult {
  /// The answer of a function that tells several kinds because of one event, each in a transaction of its own.
  public static func total(_ parts: [NotificationResult], of event: Occurrence) -> NotificationResult {
    var total = NotificationResult(of: event)
    total.notified = parts.reduce(0) { $0 + $1.notified }
    total.deliveries = parts.reduce(0) { $0 + $1.deliveries }
    total.decisions = Array(parts.flatMap(\.decisions).prefix(listLimit))
    total.counts = parts.reduce(into: [:]) { $0.merge($1.counts, uniquingKeysWith: +) }
    total.payloads = Array(parts.flatMap(\.payloads).prefix(listLimit))
    if event.dryRun { total.alreadyApplied = parts.allSatisfy { $0.alreadyApplied == true } }
    return total
  }
}
