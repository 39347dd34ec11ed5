import FoundationEssentials
import Notifications

/// The result of an invocation; `claimed` is the sum of the other counts.
struct DeliverySummary: Encodable, Equatable {
  /// Deliveries that were leased; a delivery that was leased twice counts twice.
  var claimed = 0
  var accepted = 0
  /// Deliveries that were refused for good or have no active device.
  var rejected = 0
  /// Deliveries that are queued again, including unsent ones to a device on hold.
  var retried = 0
  /// Deliveries without an answer: queued again while there is time, or given up because no answer could be written.
  var unknown = 0
  var expired = 0
  /// When there is work again; absent if nothing is queued.
  var wakeAt: Date?

  mutating func add(_ batch: DeliveryBatch, _ settlements: [DeliverySettlement]) {
    claimed += batch.taken
    expired += batch.expired
    rejected += batch.undeliverable
    retried += batch.held
    unknown += batch.unknown
    for settlement in settlements {
      switch (settlement.state, settlement.log) {
      case (.accepted, _): accepted += 1
      case (.rejected, _): rejected += 1
      case (.expired, _): expired += 1
      case (.unknown, _), (.queued, .unknown): unknown += 1
      case (.queued, _): retried += 1
      }
    }
  }
}
