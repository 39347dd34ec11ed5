import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import Synchronization

/// Answers of providers until they are written down: what was accepted must not be sent twice.
///
/// Those of a batch stay here while the database cannot take them. No further batch is taken meanwhile, so that there are
/// never more than the batches that were under way when it went.
final class KeptAnswers: Sendable {
  private let connection: Connection
  private let log: Log
  private let batches = Mutex<[Batch]>([])

  /// The answers to pushes of one lease.
  private struct Batch {
    let id = UUID()
    let lease: UUID
    let settlements: [DeliverySettlement]
    let now: Date
    var isBeingWritten = true
    /// Whether it is noted that the database refuses them.
    var isRefused = false
  }

  init(_ connection: Connection, _ log: Log) { (self.connection, self.log) = (connection, log) }

  /// The leases of what is not written down yet.
  var leases: [UUID] { batches.withLock { $0.map(\.lease) } }

  /// Writes answers down, or keeps them and throws.
  func settle(_ lease: UUID, _ settlements: [DeliverySettlement], _ now: Date) async throws(PostgresError) {
    let batch = Batch(
      lease: lease, settlements: settlements.sorted { $0.id.uuidString < $1.id.uuidString }, now: now)
    batches.withLock { $0.append(batch) }
    try await write(batch)
  }

  /// Writes down what is kept; answers with the number of batches.
  func settleKept() async throws(PostgresError) -> Int {
    var count = 0
    while let batch = takeKept() {
      try await write(batch)
      count += 1
    }
    return count
  }

  private func takeKept() -> Batch? {
    batches.withLock { batches in
      guard let index = batches.firstIndex(where: { !$0.isBeingWritten }) else { return nil }
      batches[index].isBeingWritten = true
      return batches[index]
    }
  }

  private func write(_ batch: Batch) async throws(PostgresError) {
    do throws(PostgresError) {
      try await write(batch.settlements[...], of: batch)
      batches.withLock { $0.removeAll { $0.id == batch.id } }
    } catch {
      let isRefused = batch.isRefused ? true : await noteRefusal(of: batch.settlements, in: batch, error)
      batches.withLock { batches in
        guard let index = batches.firstIndex(where: { $0.id == batch.id }) else { return }
        (batches[index].isBeingWritten, batches[index].isRefused) = (false, isRefused)
      }
      throw error
    }
  }

  /// Counts that the database refuses answers, so that their pushes are not sent for ever; `false` where it is not the
  /// database that refuses, or cannot be counted either: then nothing can be taken to be sent.
  private func noteRefusal(
    of settlements: [DeliverySettlement], in batch: Batch, _ error: PostgresError
  ) async -> Bool {
    guard let state = error.sqlState, !["08", "40", "55", "57"].contains(where: state.hasPrefix) else { return false }
    let sent = settlements.filter { $0.log != nil }.map(\.id)
    let note: SQL = """
      UPDATE deliveries SET refusals = refusals + 1 WHERE id = ANY (\(sent)) AND lease_id = \(batch.lease)
      """
    return (try? await connection.query(note)) != nil
  }

  /// Writes answers together, and each half by itself where the database refuses what one of them says.
  private func write(_ settlements: ArraySlice<DeliverySettlement>, of batch: Batch) async throws(PostgresError) {
    do throws(PostgresError) {
      try await connection.settle(Array(settlements), batch.lease, batch.now)
    } catch {
      guard error.blamesValues else { throw error }
      if settlements.count > 1 {
        let middle = settlements.startIndex + settlements.count / 2
        try await write(settlements[..<middle], of: batch)
        try await write(settlements[middle...], of: batch)
      } else if let only = settlements.first {
        try await writeBarely(only, of: batch, after: error)
      }
    }
  }

  /// Writes down only what becomes of a delivery: nothing of what the provider said, nor a line in the log.
  private func writeBarely(
    _ settlement: DeliverySettlement, of batch: Batch, after problem: PostgresError
  ) async throws(PostgresError) {
    log.error(
      "An answer cannot be written down as it is",
      ["delivery": settlement.id.uuidString, "error.cause": String(reflecting: problem)])
    var bare = settlement
    (bare.report.reason, bare.report.apnsID, bare.log) = (nil, nil, nil)
    if case .deactivated = bare.device { bare.device = .none }
    do throws(PostgresError) {
      try await connection.settle([bare], batch.lease, batch.now)
    } catch {
      // Its lease ends, and it is sent again or given up: the other answers need not wait for that.
      guard error.blamesValues else { throw error }
      _ = await noteRefusal(of: [settlement], in: batch, error)
    }
  }
}

extension Connection {
  /// Writes results down, again after a deadlock.
  fileprivate nonisolated func settle(
    _ settlements: [DeliverySettlement], _ lease: UUID, _ now: Date
  ) async throws(PostgresError) {
    guard !settlements.isEmpty else { return }
    let sql = SQL.settle(settlements, lease: lease, now: now)
    var late: [UUID]?
    for _ in 1...5 where late == nil {
      do throws(PostgresError) {
        late = try await query(sql).decode("id")
      } catch {
        guard error.code == .sqlState("40P01") else { throw error }
      }
    }
    if late == nil { late = try await query(sql).decode("id") }
    let unleased = settlements.filter { late?.contains($0.id) == true }
    if !unleased.isEmpty { _ = try await pipeline([.log(unleased, now: now), .noteAcceptances(unleased)]) }
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
