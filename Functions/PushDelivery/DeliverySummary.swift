import FoundationEssentials
import Notifications

/// What an invocation did; `claimed` is the sum of the other counts.
struct DeliverySummary: Encodable, Equatable {
  /// Deliveries taken off the queue; a delivery that was taken twice counts twice.
  var claimed = 0
  var accepted = 0
  /// Refused for good, or without an active device.
  var rejected = 0
  /// Queued again, also without having been sent: their device is to be left in peace.
  var retried = 0
  /// Sent, without an answer: queued again while there is time, or given up because no answer could be written down.
  var unknown = 0
  var expired = 0
  /// When there will be work again; absent when nothing is queued.
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
