import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive
import Synchronization

/// Keeps the providers' answers until they are written: an accepted push must not be sent twice.
///
/// A batch's answers stay here while the database cannot store them. No other batch is leased meanwhile, so it keeps
/// only the batches that were being sent when the database went away.
final class KeptAnswers: Sendable {
  private let connections: [Connection]
  private let log: Log
  private let batches = Mutex<[Batch]>([])

  /// The answers to pushes of one lease.
  private struct Batch {
    let id = UUID()
    let connection: Connection
    let lease: UUID
    var settlements: [DeliverySettlement]
    let now: Date
    var isBeingWritten = true
    /// Whether the database's refusal has been counted.
    var isRefused = false
  }

  /// - Parameter connections: at least one; the others are used when several batches are written at once.
  init(_ connections: [Connection], _ log: Log) { (self.connections, self.log) = (connections, log) }

  /// The leases of the answers that are not written yet.
  var leases: [UUID] { batches.withLock { $0.map(\.lease) } }

  /// Writes answers, or keeps them and throws; answers for locked rows are kept.
  func settle(_ lease: UUID, _ settlements: [DeliverySettlement], _ now: Date) async throws(PostgresError) {
    let batch = batches.withLock { batches in
      let connection = connections[batches.count(where: \.isBeingWritten) % connections.count]
      batches.append(Batch(connection: connection, lease: lease, settlements: settlements, now: now))
      return batches[batches.count - 1]
    }
    try await write(batch)
  }

  /// Writes the kept answers; returns the number of batches that were tried.
  ///
  /// Answers for rows that are still locked stay here; they do not stop other pushes.
  func settleKept() async throws(PostgresError) -> Int {
    var count = 0
    for id in batches.withLock({ $0.map(\.id) }) {
      guard let batch = take(id) else { continue }
      try await write(batch)
      count += 1
    }
    return count
  }

  private func take(_ id: UUID) -> Batch? {
    batches.withLock { batches in
      guard let index = batches.firstIndex(where: { $0.id == id && !$0.isBeingWritten }) else { return nil }
      batches[index].isBeingWritten = true
      return batches[index]
    }
  }

  private func write(_ batch: Batch) async throws(PostgresError) {
    do throws(PostgresError) {
      keep(try await write(batch.settlements[...], of: batch), of: batch)
    } catch {
      let isRefused = batch.isRefused ? true : await noteRefusal(of: batch.settlements, in: batch, error)
      keep(batch.settlements, of: batch, isRefused: isRefused)
      throw error
    }
  }

  private func keep(_ settlements: [DeliverySettlement], of batch: Batch, isRefused: Bool = false) {
    batches.withLock { batches in
      guard let index = batches.firstIndex(where: { $0.id == batch.id }) else { return }
      guard !settlements.isEmpty else { return _ = batches.remove(at: index) }
      (batches[index].settlements, batches[index].isBeingWritten) = (settlements, false)
      batches[index].isRefused = isRefused || batch.isRefused
    }
  }

  /// Counts the database's refusals of answers, so that their pushes are not sent forever.
  ///
  /// - Returns: `false` if the failure is not a refusal, or if the count cannot be written either. Then no delivery can
  ///   be leased.
  private func noteRefusal(
    of settlements: [DeliverySettlement], in batch: Batch, _ error: PostgresError
  ) async -> Bool {
    guard let state = error.sqlState, !["08", "40", "55", "57"].contains(where: state.hasPrefix) else { return false }
    let sent = settlements.filter { $0.log != nil }.map(\.id)
    let note: SQL = """
      UPDATE deliveries SET refusals = refusals + 1 WHERE id IN (
        SELECT id FROM deliveries WHERE id = ANY (\(sent)) AND lease_id = \(batch.lease)
        FOR NO KEY UPDATE SKIP LOCKED)
      """
    return (try? await batch.connection.query(note)) != nil
  }

  /// Writes answers together, or each half by itself if the database refuses one of them.
  ///
  /// - Returns: the answers for locked rows.
  private func write(
    _ settlements: ArraySlice<DeliverySettlement>, of batch: Batch
  ) async throws(PostgresError) -> [DeliverySettlement] {
    do throws(PostgresError) {
      return try await batch.connection.settle(Array(settlements), batch.lease, batch.now)
    } catch {
      guard error.blamesValues, let only = settlements.first else { throw error }
      guard settlements.count > 1 else { return try await writeBarely(only, of: batch, after: error) }
      let middle = settlements.startIndex + settlements.count / 2
      let locked = try await write(settlements[..<middle], of: batch)
      return try await locked + write(settlements[middle...], of: batch)
    }
  }

  /// Writes what it can of an answer: first without the sent payload, else only the delivery's new state.
  ///
  /// In the second case, the provider's reason and the line in the log are left out.
  private func writeBarely(
    _ settlement: DeliverySettlement, of batch: Batch, after problem: PostgresError
  ) async throws(PostgresError) -> [DeliverySettlement] {
    log.error(
      "An answer cannot be written as it is",
      ["delivery": settlement.id.uuidString, "error.cause": String(reflecting: problem)])
    var bare = settlement
    if bare.payload.take() != nil, let locked = try await rewrite(bare, of: batch) { return locked }
    (bare.report.reason, bare.report.apnsID, bare.report.earlier, bare.log) = (nil, nil, [], nil)
    if case .deactivated = bare.device { bare.device = .none }
    if let locked = try await rewrite(bare, of: batch) { return locked }
    // After its lease, it is sent again or given up; the other answers need not wait for that.
    _ = await noteRefusal(of: [settlement], in: batch, problem)
    return []
  }

  /// Writes one answer; returns it if its row is locked, and `nil` if the database refuses its values.
  private func rewrite(
    _ settlement: DeliverySettlement, of batch: Batch
  ) async throws(PostgresError) -> [DeliverySettlement]? {
    do throws(PostgresError) {
      return try await batch.connection.settle([settlement], batch.lease, batch.now)
    } catch {
      guard error.blamesValues else { throw error }
      return nil
    }
  }
}

extension Connection {
  /// Writes results; returns those for rows that stay locked.
  fileprivate nonisolated func settle(
    _ settlements: [DeliverySettlement], _ lease: UUID, _ now: Date
  ) async throws(PostgresError) -> [DeliverySettlement] {
    var late: [DeliverySettlement] = []
    let locked = try await untilUnlocked(settlements) { settlements throws(PostgresError) in
      var leased: [UUID: Bool] = [:]
      for row in try await self.query(.settle(settlements, lease: lease, now: now)) {
        leased[try row.decode("id")] = try row.decode("is_leased", as: Bool.self)
      }
      late += settlements.filter { leased[$0.id] == false && ($0.log != nil || !$0.report.earlier.isEmpty) }
      return settlements.filter { leased[$0.id] == true }
    }
    return try await locked
      + untilUnlocked(late) { late throws(PostgresError) in
        let locked = Set(try await self.query(.log(late, now: now)).decode("id", as: UUID.self))
        return late.filter { locked.contains($0.id) }
      }
  }

  /// Writes results; it retries those for locked rows, and all of them after a deadlock.
  private nonisolated func untilUnlocked(
    _ settlements: [DeliverySettlement],
    _ write: ([DeliverySettlement]) async throws(PostgresError) -> [DeliverySettlement]
  ) async throws(PostgresError) -> [DeliverySettlement] {
    var rest = settlements
    var pauses = [5, 10, 20, 40, 80, 160][...]
    while !rest.isEmpty {
      do throws(PostgresError) {
        rest = try await write(rest)
      } catch {
        guard error.gaveWay, !pauses.isEmpty else { throw error }
      }
      guard !rest.isEmpty, let pause = pauses.popFirst() else { break }
      try? await Task.sleep(for: .milliseconds(pause) * .random(in: 0.5...1))
    }
    return rest
  }
}

extension PostgresError {
  /// Whether this answer is the cause, and not the server's state, which passes: a lost connection, a standby, a full
  /// disk, a restart.
  ///
  /// A table that lacks a column or a right refuses every answer; each push is still given up by itself.
  fileprivate var blamesValues: Bool {
    switch code {
    case .usage: true
    case .sqlState(let state): !["08", "25", "40", "53", "55", "57", "58"].contains { state.hasPrefix($0) }
    default: false
    }
  }
}
