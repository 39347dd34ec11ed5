import Cron
package import Documents
package import Manifest

extension Trigger {
  /// Such as `insert/update of status on app.feedbacks`, or a schedule with its time zone.
  package var summary: String {
    switch self {
    case .table(let trigger):
      let columns = trigger.columns.isEmpty ? "" : " of \(trigger.columns.joined(separator: ", "))"
      let operations = trigger.operations.map { $0.rawValue.lowercased() }.joined(separator: "/")
      let filter = trigger.filter.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
      return "\(operations)\(columns) on \(trigger.name.short)"
        + (filter.isEmpty ? "" : " where \(filter.joined(separator: " and "))")
    case .schedule(let trigger):
      return "\(trigger.expression.text) (\(trigger.timezone))"
    case .notify(let trigger):
      return "new \(trigger.name.short)"
    case .http(let trigger):
      return "http (\(trigger.auth.rawValue))"
    }
  }
}

extension FunctionLine {
  package init(_ entry: FunctionEntry) {
    self.init(
      name: entry.name, mode: entry.target == nil ? entry.mode.rawValue : "url",
      triggers: entry.triggers.map(\.summary), key: entry.key, timeout: entry.timeout, attempts: entry.attempts,
      concurrency: entry.concurrency, batch: entry.batch)
  }
}
