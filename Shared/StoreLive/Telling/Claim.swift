import FunctionKit
import Postgres
import Synchronization

/// The taking of an event by a transaction, in one round trip with what is read first.
final class Claim: Sendable {
  private let event: Occurrence
  /// What was found when the event was taken.
  private let taken = Mutex<Taken?>(nil)

  private struct Taken {
    let progress: Progress?
  }

  /// The event has its result already: nothing is left to be done.
  struct Done: Error {
    let result: NotificationResult
  }

  /// An earlier event about the same change of a row has no result yet: the rest is to be done as that event.
  struct Earlier: Error {
    let event: Occurrence
  }

  init(on event: Occurrence) { self.event = event }

  /// Runs a statement, the first one after taking the event.
  ///
  /// - Throws: ``Done`` and ``Earlier`` too.
  func query(_ sql: SQL, _ transaction: Transaction) async throws -> Rows {
    if taken.withLock({ $0 != nil }) { return try await transaction.query(sql) }
    let answers = try await transaction.pipeline([event.taking, sql])
    _ = try await take(answers[0], transaction)
    return answers[1]
  }

  /// How far the event has come, which is taken now where nothing was read.
  ///
  /// - Throws: ``Done`` and ``Earlier`` too.
  func progress(_ transaction: Transaction) async throws -> Progress? {
    if let taken = taken.withLock({ $0 }) { return taken.progress }
    return try await take(try await transaction.query(event.taking), transaction)
  }

  private func take(_ rows: Rows, _ transaction: Transaction) async throws -> Progress? {
    let row = try rows.only()
    if let result = row["result"] { throw Done(result: try Occurrence.decode(result)) }
    if let earlier = try row["holder"].flatMap(event.earlier) {
      // This takes no lock: the process that goes on with the earlier event holds it, and waits for the row.
      let adopted = try await transaction.query(event.adopting(earlier))
      guard let result = adopted.first?["result"] else { throw Earlier(event: earlier) }
      throw Done(result: try Occurrence.decode(result))
    }
    let progress: Progress? = try row["progress"].map(Occurrence.decode)
    taken.withLock { $0 = Taken(progress: progress) }
    return progress
  }
}
