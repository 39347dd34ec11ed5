import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushLive
import StoreLive

/// Sends every delivery that is due, and says when the next will be.
///
/// What the event says does not matter: it only means that there may be work.
@main
struct PushDelivery: Function {
  static let summary = "Sends the deliveries that are due to APNs."
  static let batchSize = 500
  /// After this long no further batch is taken, so that an invocation ends within its limit.
  static let working = Duration.seconds(20)
  /// A batch is answered and written down before its lease and the invocation's minute end.
  static let sending = Duration.seconds(35)

  let store: DeliveryStore
  let client: PushClient
  /// Whose deliveries are taken; those of others wait.
  var providers = PushProvider.allCases
  var jitter: @Sendable () -> Double = { .random(in: 0..<1) }

  static func live(_ environment: Environment) async throws -> Self {
    let configuration = try APNsConfiguration(environment)
    let connection = Connection(url: try environment.databaseURL(), applicationName: name)
    return Self(store: .postgres(connection), client: .apns(APNsSender(configuration)))
  }

  func handle(_ event: Event<RawJSON>, _ context: Context) async throws -> DeliverySummary {
    var summary = DeliverySummary()
    do {
      if !context.dryRun { try await drain(into: &summary, context) }
      summary.wakeAt = try await store.nextDue(providers, context.now)
    } catch let error as PostgresError {
      throw FunctionError(error)
    }
    return summary
  }

  private func drain(into summary: inout DeliverySummary, _ context: Context) async throws {
    let end = ContinuousClock.now + Self.working
    var prefetched: LeasedBatch?
    while !Task.isCancelled {
      if prefetched == nil, ContinuousClock.now >= end { return }
      let leased = if let prefetched { prefetched } else { try await lease(context.now) }
      guard leased.batch.taken > 0 else { return }
      // The next batch is fetched while this one is on its way, but not when this one was surely the last.
      async let following = leased.batch.taken == Self.batchSize && .now < end ? lease(context.now) : nil
      try await send(leased, &summary, context)
      prefetched = try await following
    }
  }

  private func send(_ leased: LeasedBatch, _ summary: inout DeliverySummary, _ context: Context) async throws {
    let (batch, store) = (leased.batch, store)
    let reports = await client.send(batch.pushes, leased.answersUntil)
    let settlements = zip(batch.pushes, reports).map { push, report in
      DeliverySettlement(push, report, now: context.now, jitter: jitter())
    }
    // A task of its own is not cancelled with the invocation: what APNs has answered is written down in any case.
    try await Task { try await store.settle(batch.lease, settlements, context.now) }.value
    summary.add(batch, settlements)
    context.log.report(reports)
  }

  private func lease(_ now: Date) async throws -> LeasedBatch {
    let answersUntil = ContinuousClock.now + Self.sending
    let batch = try await store.claim(Self.batchSize, providers, now)
    return LeasedBatch(batch: batch, answersUntil: answersUntil)
  }

  private struct LeasedBatch {
    let batch: DeliveryBatch
    let answersUntil: ContinuousClock.Instant
  }
}
