public import FoundationEssentials
public import FunctionKit
import Notifications
import PushPayload
import Synchronization

/// One event as one function handles it.
///
/// What follows from it is keyed by function, source and id.
public struct Occurrence: Sendable {
  let function: String
  private(set) var source: String
  private(set) var id: String
  /// The change of a row that it tells of; `nil` where none is known.
  private(set) var row: ChangedRow?
  let actorID: String?
  package let dryRun: Bool
  /// The time to decide and to stamp by.
  public let now: Date
  private let told: ToldCounts
  /// For what is passed over, so that the others are told.
  let log: Log

  /// An event in the surroundings of its invocation.
  public init<Payload>(_ event: Event<Payload>, _ context: Context) {
    (function, source, id, actorID) = (context.function, event.source, event.id, event.actorID)
    (dryRun, now, log) = (context.dryRun, context.now, context.log)
    told = ToldCounts(context)
  }

  /// An event about a row; other events may tell of the same change.
  public init<Row>(_ event: Event<RowChange<Row>>, _ context: Context) {
    (function, source, id, actorID) = (context.function, event.source, event.id, event.actorID)
    (dryRun, now, log, row) = (context.dryRun, context.now, context.log, ChangedRow(event))
    told = ToldCounts(context)
  }

  /// One of several things that follow from the event, each done once and in a transaction of its own.
  /// - Parameter name: a kind's name, or one of ``parts``.
  public func part(_ name: String) -> Occurrence {
    var part = self
    part.id += "/\(name)"
    part.row = row?.part(name)
    return part
  }

  /// The earlier event that tells of the same change of a row; `nil` where this is the one.
  func earlier(_ holder: String) throws -> Occurrence? {
    let holder: ChangedRow.Holder = try Self.decode(holder)
    guard (holder.source, holder.event) != (source, id) else { return nil }
    var earlier = self
    (earlier.source, earlier.id, earlier.row) = (holder.source, holder.event, nil)
    return earlier
  }

  /// Takes note of how many people were decided about so far; reports it where more are to come.
  func note(_ count: Int, isLast: Bool) { told.note(count, of: id, isLast: isLast) }

  func logUnencodable(_ told: [Told]) {
    for told in told where told.decision == .suppress(.unencodable) {
      log.warning(
        "A push is too large and is not sent",
        [
          "event": id, "user": told.candidate.user.lowercased, "kind": told.message.kind.name,
          "subject": told.candidate.subjectID,
        ])
    }
  }

  /// Names of parts that are no kind's.
  private static let parts = ["lead"]

  /// The ids under which what follows from an event may be recorded: its own, and those of its parts.
  public static func ids(of event: String) -> [String] {
    [event] + (parts + Kind.catalogue.map(\.name)).map { "\(event)/\($0)" }
  }
}

/// How many people were decided about for good because of an event, part by part.
private final class ToldCounts: Sendable {
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
