import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive
import Synchronization

/// Answers of providers until they are written down: what was accepted must not be sent twice.
///
/// A batch's answers stay here while the database cannot take them. No further batch is taken meanwhile, so that there
/// are never more than the batches that were under way when the database went away.
final class KeptAnswers: Sendable {
  private let connection: Connection
  private let log: Log
  private let batches = Mutex<[Batch]>([])

  /// The answers to pushes of one lease.
  private struct Batch {
    let id = UUID()
    let lease: UUID
    var settlements: [DeliverySettlement]
    let now: Date
    var isBeingWritten = true
    /// Whether it is noted that the database refuses them.
    var isRefused = false
  }

  init(_ connection: Connection, _ log: Log) { (self.connection, self.log) = (connection, log) }

  /// The leases of the answers that are not written down yet.
  var leases: [UUID] { batches.withLock { $0.map(\.lease) } }

  /// Writes answers down, or keeps them and throws; answers for rows that somebody has locked are kept.
  func settle(_ lease: UUID, _ settlements: [DeliverySettlement], _ now: Date) async throws(PostgresError) {
    let batch = Batch(lease: lease, settlements: settlements, now: now)
    batches.withLock { $0.append(batch) }
    try await write(batch)
  }

  /// Writes the kept answers down; answers with the number of batches that were tried.
  ///
  /// Answers for rows that somebody still has locked stay here: they are no reason not to send to others.
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

  /// Counts that the database refuses answers, so that their pushes are not sent for ever.
  ///
  /// - Returns: `false` where it is not the database that refuses, or where the count cannot be written either: then
  ///   nothing can be taken to be sent.
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
    return (try? await connection.query(note)) != nil
  }

  /// Writes answers together, and each half by itself where the database refuses one of them.
  ///
  /// - Returns: the answers for rows that somebody has locked.
  private func write(
    _ settlements: ArraySlice<DeliverySettlement>, of batch: Batch
  ) async throws(PostgresError) -> [DeliverySettlement] {
    do throws(PostgresError) {
      return try await connection.settle(Array(settlements), batch.lease, batch.now)
    } catch {
      guard error.blamesValues, let only = settlements.first else { throw error }
      guard settlements.count > 1 else { return try await writeBarely(only, of: batch, after: error) }
      let middle = settlements.startIndex + settlements.count / 2
      let locked = try await write(settlements[..<middle], of: batch)
      return try await locked + write(settlements[middle...], of: batch)
    }
  }

  /// Writes what can be written of an answer: first without what was sent, else only what becomes of the delivery.
  ///
  /// In the second case what the provider said and the line in the log are left out.
  private func writeBarely(
    _ settlement: DeliverySettlement, of batch: Batch, after problem: PostgresError
  ) async throws(PostgresError) -> [DeliverySettlement] {
    log.error(
      "An answer cannot be written down as it is",
      ["delivery": settlement.id.uuidString, "error.cause": String(reflecting: problem)])
    var bare = settlement
    if bare.payload.take() != nil, let locked = try await rewrite(bare, of: batch) { return locked }
    (bare.report.reason, bare.report.apnsID, bare.report.earlier, bare.log) = (nil, nil, [], nil)
    if case .deactivated = bare.device { bare.device = .none }
    if let locked = try await rewrite(bare, of: batch) { return locked }
    // Its lease ends, and it is sent again or given up: the other answers need not wait for that.
    _ = await noteRefusal(of: [settlement], in: batch, problem)
    return []
  }

  /// Writes one answer; returns it where somebody has locked its row, and `nil` where the database refuses its values.
  private func rewrite(
    _ settlement: DeliverySettlement, of batch: Batch
  ) async throws(PostgresError) -> [DeliverySettlement]? {
    do throws(PostgresError) {
      return try await connection.settle([settlement], batch.lease, batch.now)
    } catch {
      guard error.blamesValues else { throw error }
      return nil
    }
  }
}

extension Connection {
  /// Writes results; answers with those for rows that somebody has locked for longer than a moment.
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
        let locked = try await self.query(.log(late, now: now)).decode("id", as: UUID.self)
        return late.filter { locked.contains($0.id) }
      }
  }

  /// Writes results: again those for rows that somebody has locked, and all of them after a deadlock.
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
  /// Whether what was to be written is at fault: data exceptions, constraints, and what users' triggers raise.
  fileprivate var blamesValues: Bool {
    switch code {
    case .usage: true
    case .sqlState(let state): ["22", "23", "P0"].contains { state.hasPrefix($0) }
    default: false
    }
  }
}
