extension NotificationResult {
  /// The result of a function that sends several kinds for one event, each in its own transaction.
  package static func total(_ parts: [NotificationResult], of event: EventContext) -> NotificationResult {
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
