/// What one poll saw.
struct PollAnswer: Sendable {
  /// Every row that is new, in the order of its partition, late ones first.
  var newEvents: [NewEvent] = []
  /// What was read of ``PollRequest/backlog``, in the same order.
  var backlog: [ReadBacklog] = []
  var retries: [QueuedEvent] = []
  /// Seconds until the next retry is due, where one waits.
  var nextRetry: Double?
  var snapshot = Snapshot()
  /// The oldest open transaction of each partition that has drawn an id; `nil` if that was not asked.
  var openAllocators: [Int: Int64]?
  /// The partitions whose notify locks were taken.
  var locked: Set<Int> = []

  /// What a reading knew of transactions.
  struct Snapshot: Sendable {
    /// Every transaction below has ended.
    var xmin: Int64 = 0
    /// The poll's own transaction number, assigned before it read.
    var own: Int64?
    /// Whether writers notify: the server allows no prepared transactions.
    var isNotified = true
  }
}

struct NewEvent: Sendable {
  var place: QueuedEvent.Place
  var function: String
  /// Where it stood in a hole, the number of the transaction, or subtransaction, that wrote its row: the lower 32 bits.
  var writer: Int64?
  /// `nil` where the body was left out.
  var event: QueuedEvent?

  var isLate: Bool { writer != nil }
}

/// What was read of one range of the backlog.
struct ReadBacklog: Sendable {
  var events: [QueuedEvent] = []
  /// Up to here nothing is left.
  var through: Int64
}
