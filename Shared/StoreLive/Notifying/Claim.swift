import FunctionKit
import Postgres
import Synchronization

/// Finds out whether an event was handled before, in one round trip with the first query about it.
///
/// It writes nothing: a new event gets its record with its decisions, or before them if people are left for another
/// transaction. If another process writes that record meanwhile, the insertion fails.
final class Claim: Sendable {
  /// The event to handle, which may be an earlier one about the same change of a row.
  let event: EventContext
  /// Whether an earlier transaction has begun the event; then its record is locked.
  let isBegun: Bool
  private let found = Mutex<Found?>(nil)

  /// What is known of an event that has to be handled.
  struct Found {
    /// The progress of the transactions before; `nil` if there were none.
    var progress: Progress?
    /// Deletes the record of an earlier row with the same id; `nil` if there is none.
    var clearing: SQL?
  }

  /// The event already has its result.
  struct Done: Error {
    /// The event that was handled: this one, or an earlier one about the same change of a row.
    let event: EventContext
    let result: NotificationResult
    /// Records the result of the earlier event for this one.
    var recording: [SQL] = []
  }

  /// An earlier transaction has begun the event, or an earlier event about the same change of a row.
  struct Begun: Error {
    let event: EventContext
  }

  /// Claims an event that is new, as far as anybody knows.
  init(on event: EventContext) {
    var event = event
    event.isNew = true
    (self.event, isBegun) = (event, false)
  }

  /// Claims an event that has a record without a result.
  init(continuing begun: Begun) { (event, isBegun) = (begun.event, true) }

  /// Runs statements; the first ones also find the record.
  ///
  /// The record is looked for after them: what they have seen of another process was committed together with its record.
  /// Only that of a begun event is locked before them.
  ///
  /// - Throws: ``Done`` and ``Begun`` too.
  func pipeline(_ statements: [SQL], _ executor: any QueryExecutor) async throws -> [Rows] {
    if found.withLock({ $0 != nil }) { return try await executor.pipeline(statements) }
    guard !isBegun else {
      let answers = try await executor.pipeline([query] + statements)
      _ = try await settle(answers[0], executor)
      return Array(answers.dropFirst())
    }
    var answers = try await executor.pipeline(statements + [query])
    _ = try await settle(answers.removeLast(), executor)
    return answers
  }

  /// What is known of the event; finds its record if no query has run.
  ///
  /// - Throws: ``Done`` and ``Begun`` too.
  func settle(_ executor: any QueryExecutor) async throws -> Found {
    if let found = found.withLock({ $0 }) { return found }
    return try await settle(try await executor.query(query), executor)
  }

  private var query: SQL { isBegun ? event.locking : event.looking }

  private func settle(_ rows: Rows, _ executor: any QueryExecutor) async throws -> Found {
    let found = isBegun ? try progress(rows) : try await record(rows, executor)
    self.found.withLock { $0 = found }
    return found
  }

  /// Another process may have gone on with the event until now.
  private func progress(_ rows: Rows) throws -> Found {
    guard let row = rows.first else { throw FunctionError(.unavailable, "The record of the event is gone.") }
    if let result = row["result"] { throw Done(event: event, result: try EventContext.decode(result)) }
    return Found(progress: try row["progress"].map(EventContext.decode))
  }

  private func record(_ rows: Rows, _ executor: any QueryExecutor) async throws -> Found {
    let own = try rows.first { try $0.decode("is_own") }
    let change = try rows.first { try !$0.decode("is_own") }?["result"]
    let holder: ChangedRow.Holder? = try change.map(EventContext.decode)
    if let own {
      guard let result: NotificationResult = try own["result"].map(EventContext.decode) else {
        throw Begun(event: event.asRecorded)
      }
      let earlier = holder.flatMap(event.earlier)
      throw Done(event: earlier.flatMap { $0.id == result.event ? $0 : nil } ?? event.asRecorded, result: result)
    }
    guard let document = change, let told = holder, let row = event.row else { return Found() }
    // If the event that told of the change has no record any more, that was long ago.
    guard !row.isAnother(than: told, event), let earlier = event.earlier(told),
      let record = try await executor.query(earlier.recorded).first
    else { return Found(clearing: row.clearing(document, of: event)) }
    guard let result = record["result"] else { throw Begun(event: earlier) }
    throw Done(
      event: earlier, result: try EventContext.decode(result), recording: row.recording(result, alsoFor: event))
  }
}

extension EventContext {
  /// The event that a dry run treats this one as a repetition of, and whether that one was applied.
  func asRepeated(_ transaction: Transaction) async throws -> (event: EventContext, wasApplied: Bool) {
    do {
      _ = try await Claim(on: self).settle(transaction)
      return (self, false)
    } catch let done as Claim.Done {
      return (done.event, true)
    } catch let begun as Claim.Begun {
      return (begun.event, true)
    }
  }
}
