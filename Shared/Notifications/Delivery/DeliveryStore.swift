package import FoundationEssentials

/// The queue of deliveries.
package struct DeliveryStore: Sendable {
  /// Leases due deliveries of the given providers, at most `limit`.
  ///
  /// It closes deliveries of any provider that have expired or have lost their device. It puts off deliveries to a
  /// device that is on hold. It writes kept answers first; if that fails, it leases nothing.
  package var claim: @Sendable (_ limit: Int, _ providers: [PushProvider], _ now: Date) async throws -> DeliveryBatch
  /// Writes the results of a batch in one transaction.
  ///
  /// If another process holds a delivery's lease by now, only the attempt is logged. Results that cannot be written are
  /// kept; the call still throws.
  package var settle: @Sendable (_ lease: UUID, _ settlements: [DeliverySettlement], _ now: Date) async throws -> Void
  /// Writes the kept answers; returns the number of batches.
  package var settleKept: @Sendable () async throws -> Int
  /// When there is work next; `nil` if nothing is queued.
  ///
  /// That is when a delivery of the given providers comes due, a lease ends, or a delivery of another provider expires.
  package var nextDue: @Sendable (_ providers: [PushProvider], _ now: Date) async throws -> Date?

  package init(
    claim: @escaping @Sendable (Int, [PushProvider], Date) async throws -> DeliveryBatch,
    settle: @escaping @Sendable (UUID, [DeliverySettlement], Date) async throws -> Void,
    settleKept: @escaping @Sendable () async throws -> Int,
    nextDue: @escaping @Sendable ([PushProvider], Date) async throws -> Date?
  ) {
    (self.claim, self.settle, self.settleKept, self.nextDue) = (claim, settle, settleKept, nextDue)
  }
}

/// Due deliveries that were leased together.
package struct DeliveryBatch: Sendable, Equatable {
  /// The shortest lease; a delivery without a written result may be sent again after it.
  package static let lease = Duration.seconds(60)

  /// A delivery is given up after the database has refused this many answers in a row.
  package static let mostRefusals = 3

  /// The most pushes without text (a badge alone, or a background push) that a device gets in any hour.
  package static let quietPushesAnHour = 3

  package var lease: UUID
  package var pushes: [QueuedPush]
  /// How many were closed because they had expired, or because a later one replaces them.
  package var expired: Int
  /// How many were closed because their device is no longer active, or no longer the person's.
  package var undeliverable: Int
  /// How many were put off because their device is on hold.
  package var held: Int
  /// How many were given up because the database refuses their answers.
  package var unknown = 0
  /// How many due deliveries wait for a provider that the caller does not serve, up to ``countedUnserved``.
  package var unserved = 0

  /// The limit of the count, so that it costs the same for any backlog.
  package static let countedUnserved = 1_000

  package init(lease: UUID, pushes: [QueuedPush], expired: Int = 0, undeliverable: Int = 0, held: Int = 0) {
    (self.lease, self.pushes) = (lease, pushes)
    (self.expired, self.undeliverable, self.held) = (expired, undeliverable, held)
  }

  /// How many due deliveries were handled; 0 only if none was left.
  package var taken: Int { pushes.count + expired + undeliverable + held + unknown }
}
