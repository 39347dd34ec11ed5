import FunctionKit
import Postgres
import Synchronization

/// Takes an event for a transaction, in one round trip with the first query.
final class Claim: Sendable {
  private let event: EventContext
  /// The result of taking the event.
  private let taken = Mutex<Taken?>(nil)

  private struct Taken {
    let progress: Progress?
  }

  /// The event already has its result.
  struct Done: Error {
    let result: NotificationResult
  }

  /// An earlier event about the same change of a row has no result yet; this transaction continues that event.
  struct Earlier: Error {
    let event: EventContext
  }

  init(on event: EventContext) { self.event = event }

  /// Runs statements; the first ones also take the event.
  ///
  /// - Throws: ``Done`` and ``Earlier`` too.
  func pipeline(_ statements: [SQL], _ executor: any QueryExecutor) async throws -> [Rows] {
    if taken.withLock({ $0 != nil }) { return try await executor.pipeline(statements) }
    let answers = try await executor.pipeline([event.taking] + statements)
    _ = try await take(answers[0], executor)
    return Array(answers.dropFirst())
  }

  /// The event's progress; takes the event if no query has run.
  ///
  /// - Throws: ``Done`` and ``Earlier`` too.
  func progress(_ transaction: any QueryExecutor) async throws -> Progress? {
    if let taken = taken.withLock({ $0 }) { return taken.progress }
    return try await take(try await transaction.query(event.taking), transaction)
  }

  private func take(_ rows: Rows, _ transaction: any QueryExecutor) async throws -> Progress? {
    let row = try rows.only()
    if let result = row["result"] { throw Done(result: try EventContext.decode(result)) }
    if let earlier = try row["holder"].flatMap(event.earlier) {
      // This takes no lock: the process that continues the earlier event holds it and waits for the row.
      let adopted = try await transaction.query(event.adopting(earlier))
      guard let result = adopted.first?["result"] else { throw Earlier(event: earlier) }
      throw Done(result: try EventContext.decode(result))
    }
    let progress: Progress? = try row["progress"].map(EventContext.decode)
    taken.withLock { $0 = Taken(progress: progress) }
    return progress
  }
}
