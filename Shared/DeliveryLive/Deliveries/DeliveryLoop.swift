package import FoundationEssentials
package import FunctionKit
package import Notifications

/// Sends what is due, batch after batch.
///
/// While a batch is sent, the answers of the two before it are written, and the next one is leased.
package struct DeliveryLoop: Sendable {
  private static let batchSize = 500
  /// After this time no batch is leased, so that an invocation ends within its limit.
  private static let working = Duration.seconds(20)
  /// The time for sending a batch, shorter than its lease.
  private static let sending = Duration.seconds(35)
  /// After this time, the next invocation writes the kept answers.
  private static let writing = Duration.seconds(65)
  /// The pause between two tries.
  private static let pause = Duration.milliseconds(500)

  private let store: DeliveryStore
  private let providers: [PushProvider]

  /// - Parameter providers: those whose deliveries are leased; the others' wait.
  package init(_ store: DeliveryStore, of providers: [PushProvider]) {
    (self.store, self.providers) = (store, providers)
  }

  /// Sends until nothing is due, or for 20 seconds.
  ///
  /// A cancelled task leases nothing more. What was answered is still written.
  /// - Parameters:
  ///   - log: is told of deliveries that are given up, and of those that wait for a provider that is not configured.
  ///   - send: sends a batch until a deadline, and decides what becomes of each delivery.
  /// - Throws: the store's first error, if kept answers could not be written within 65 seconds either.
  package func run(
    at now: Date, log: Log, send: (DeliveryBatch, ContinuousClock.Instant) async -> [DeliverySettlement]
  ) async throws {
    let end = ContinuousClock.now + Self.writing
    var settling = Settling()
    do {
      try await drain(&settling, at: now, log, send)
      try await settling.finish()
    } catch {
      try? await settling.finish()
      guard try await settlesKept(until: end) else { throw error }
    }
  }

  /// When there is work next; `nil` if nothing is queued.
  package func nextDue(_ now: Date) async throws -> Date? {
    try await uncancelled { [store, providers] in try await store.nextDue(providers, now) }
  }

  /// Writes kept answers as soon as the database accepts them again; `false` if there are none.
  package func settlesKept(until end: ContinuousClock.Instant) async throws -> Bool {
    while true {
      do {
        return try await uncancelled { [store] in try await store.settleKept() } > 0
      } catch {
        guard .now < end else { throw error }
      }
      try await uncancelled { try await Task.sleep(for: Self.pause) }
    }
  }

  private func drain(
    _ settling: inout Settling, at now: Date, _ log: Log,
    _ send: (DeliveryBatch, ContinuousClock.Instant) async -> [DeliverySettlement]
  ) async throws {
    let end = ContinuousClock.now + Self.working
    var isFirst = true
    var prefetched: LeasedBatch?
    // If the process has to end with a prefetched batch, sending returns the batch: none of it goes out.
    while prefetched != nil || !Task.isCancelled {
      if prefetched == nil {
        // The deliveries of the last answers may be due again.
        try await settling.finish()
        if ContinuousClock.now >= end { return }
      }
      let leased = if let prefetched { prefetched } else { try await lease(now) }
      log.report(leased.batch, isFirst: isFirst)
      guard leased.batch.taken > 0 else { return }
      isFirst = false
      // While this batch is sent, the last two are written and the next one fetched, unless this one is the last.
      async let following = leased.batch.taken >= Self.batchSize && .now < end ? lease(now) : nil
      let settlements = await send(leased.batch, leased.answersUntil)
      await settling.start(store, leased.batch.lease, settlements, now)
      prefetched = try await following
    }
  }

  private func lease(_ now: Date) async throws -> LeasedBatch {
    let answersUntil = ContinuousClock.now + Self.sending
    let batch = try await uncancelled { [store, providers] in try await store.claim(Self.batchSize, providers, now) }
    return LeasedBatch(batch: batch, answersUntil: answersUntil)
  }

  // A cancelled statement may have leased deliveries without returning them, or may have lost answers.
  private func uncancelled<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Task { try await body() }.value
  }

  private struct LeasedBatch {
    let batch: DeliveryBatch
    let answersUntil: ContinuousClock.Instant
  }

  /// Writes the answers of two batches at once.
  private struct Settling {
    private var tasks: [Task<Void, any Error>] = []
    private var failure: (any Error)?

    // A separate task is not cancelled with the invocation, so APNs' answers are always written. The store keeps
    // answers that it cannot write, so it can still get the next batch's answers.
    mutating func start(_ store: DeliveryStore, _ lease: UUID, _ settlements: [DeliverySettlement], _ now: Date) async {
      if tasks.count == 2 { await wait() }
      tasks.append(Task { try await store.settle(lease, settlements, now) })
    }

    /// - Throws: the first failure.
    mutating func finish() async throws {
      while !tasks.isEmpty { await wait() }
      if let failure { throw failure }
    }

    private mutating func wait() async {
      do { try await tasks.removeFirst().value } catch { failure = failure ?? error }
    }
  }
}

extension Log {
  /// Logs deliveries that are given up, in one line.
  ///
  /// For the first batch, it also logs deliveries that wait for a provider that is not configured.
  fileprivate func report(_ batch: DeliveryBatch, isFirst: Bool) {
    if batch.unknown > 0 {
      error(
        "Deliveries are given up, because no answer to them could be written",
        ["push.count": "\(batch.unknown)", "push.sends": "\(DeliveryBatch.mostRefusals)"])
    }
    guard isFirst, batch.unserved > 0 else { return }
    let isCounted = batch.unserved < DeliveryBatch.countedUnserved
    warning(
      "Deliveries wait for a push service that is not configured",
      ["push.count": isCounted ? "\(batch.unserved)" : "\(batch.unserved) or more"])
  }
}
