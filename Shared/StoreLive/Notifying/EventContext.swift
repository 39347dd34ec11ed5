import Formats
package import FoundationEssentials
package import FunctionKit
import Notifications
import Synchronization
import Tracing

/// One event as one function handles it.
///
/// Its effects have the key function, source and id.
package struct EventContext: Sendable {
  package let function: String
  package private(set) var source: String
  package private(set) var id: String
  /// The change of a row that it reports; `nil` if none is known.
  private(set) var row: ChangedRow?
  package let actorID: String?
  /// The place of the run in its trace; `nil` unless the trace is recorded.
  let traceparent: String?
  package let dryRun: Bool
  /// The time for decisions and stamps.
  package let now: Date
  /// Whether no row comes from it yet, because nobody has its record.
  ///
  /// The queries of such events about the same person are equal.
  var isNew = false
  private let counts: DecisionCounts
  /// Gets a line for each row that is skipped.
  let log: Log

  /// An event with the context of its invocation.
  package init<Payload>(_ event: Event<Payload>, _ context: Context) {
    (function, source, id, actorID) = (context.function, event.source, event.id, event.actorID)
    (dryRun, now, log, traceparent) = (context.dryRun, context.now, context.log, context.trace?.traceparent)
    counts = DecisionCounts(context)
  }

  /// An event about a row; other events may report the same change.
  package init<Row>(_ event: Event<RowChange<Row>>, _ context: Context) {
    (function, source, id, actorID) = (context.function, event.source, event.id, event.actorID)
    (dryRun, now, log, traceparent) = (context.dryRun, context.now, context.log, context.trace?.traceparent)
    row = ChangedRow(event)
    counts = DecisionCounts(context)
  }

  /// A part of the event; each part has a record of its own.
  /// - Parameter name: a kind's name, or one of ``parts``.
  package func part(_ name: String) -> EventContext {
    var part = self
    part.id += "/\(name)"
    part.row = row?.part(name)
    return part
  }

  /// The event whose record is there, so that rows may come from it.
  var asRecorded: EventContext {
    var event = self
    event.isNew = false
    return event
  }

  /// The earlier event about the same change of a row; `nil` if it is this event.
  func earlier(_ holder: ChangedRow.Holder) -> EventContext? {
    guard (holder.source, holder.event) != (source, id) else { return nil }
    var earlier = asRecorded
    (earlier.source, earlier.id, earlier.row) = (holder.source, holder.event, nil)
    return earlier
  }

  /// Adds to the number of people with a decision; reports it if more people follow.
  func note(_ count: Int, isLast: Bool) { counts.note(count, of: id, isLast: isLast) }

  func logUnencodable(_ plans: [NotificationPlan]) {
    for plan in plans where plan.decision == .suppress(.unencodable) {
      log.warning(
        "A push is too large and is not sent",
        [
          "event": id, "user": plan.candidate.user.lowercased, "kind": plan.message.kind.name,
          "subject": plan.candidate.subjectID,
        ])
    }
  }

  /// Names of parts that are not names of kinds.
  private static let parts = ["lead"]

  /// The ids under which the effects of an event may be recorded: its own, and those of its parts.
  package static func ids(of event: String) -> [String] {
    [event] + (parts + Kind.catalogue.map(\.name)).map { "\(event)/\($0)" }
  }

  /// The id of the event whose effect, or a part's, is recorded under an id.
  package static func event(of id: String) -> String {
    guard let slash = id.lastIndex(of: "/") else { return id }
    let part = String(id[id.index(after: slash)...])
    return parts.contains(part) || Kind.catalogue.contains { $0.name == part } ? String(id[..<slash]) : id
  }
}

/// The number of people with a committed decision because of an event, by part.
private final class DecisionCounts: Sendable {
  private let context: Context
  private let parts = Mutex<[String: Int]>([:])

  init(_ context: Context) { self.context = context }

  func note(_ count: Int, of part: String, isLast: Bool) {
    let total = parts.withLock { parts in
      parts[part] = count
      return parts.values.reduce(0, +)
    }
    if !isLast { context.progress(total) }
  }
}
