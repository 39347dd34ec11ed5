public import FoundationEssentials

/// The queue of deliveries.
public struct DeliveryStore: Sendable {
  /// Leases due deliveries of the given providers, at most `limit`.
  ///
  /// It closes deliveries that have expired, of any provider, or have lost their device. It puts off those whose device
  /// is to be left in peace. Kept answers are written down first; where they cannot be, nothing is taken.
  public var claim: @Sendable (_ limit: Int, _ providers: [PushProvider], _ now: Date) async throws -> DeliveryBatch
  /// Writes what came of a batch, in one transaction.
  ///
  /// A delivery whose lease has passed to another is left alone, and its attempt is only logged. What cannot be written
  /// is kept; the call throws all the same.
  public var settle: @Sendable (_ lease: UUID, _ settlements: [DeliverySettlement], _ now: Date) async throws -> Void
  /// Writes the kept answers down; answers with the number of batches.
  public var settleKept: @Sendable () async throws -> Int
  /// When there is something to do next; `nil` when nothing is queued.
  ///
  /// That is when a delivery of the given providers comes due, a lease ends, or a delivery of another provider expires.
  public var nextDue: @Sendable (_ providers: [PushProvider], _ now: Date) async throws -> Date?

  /// A store from its closures.
  public init(
    claim: @escaping @Sendable (Int, [PushProvider], Date) async throws -> DeliveryBatch,
    settle: @escaping @Sendable (UUID, [DeliverySettlement], Date) async throws -> Void,
    settleKept: @escaping @Sendable () async throws -> Int,
    nextDue: @escaping @Sendable ([PushProvider], Date) async throws -> Date?
  ) {
    (self.claim, self.settle, self.settleKept, self.nextDue) = (claim, settle, settleKept, nextDue)
  }
}

/// Due deliveries that were leased together.
public struct DeliveryBatch: Sendable, Equatable {
  /// How long a lease holds, at least; what was not written down by then may be sent again.
  public static let lease = Duration.seconds(60)

  /// After this many answers in a row that the database refused, a delivery is given up.
  public static let mostRefusals = 3

  /// A device gets at most this many pushes in any hour that show nothing: a badge alone, or a background push.
  public static let quietPushesAnHour = 3

  /// Identifies the lease.
  public var lease: UUID
  /// The deliveries to send.
  public var pushes: [QueuedPush]
  /// How many were closed because they had expired, or because a later one does all that they would do.
  public var expired: Int
  /// How many were closed because their device is no longer active, or no longer the person's.
  public var undeliverable: Int
  /// How many were put off, because their device is to be left in peace for now.
  public var held: Int
  /// How many were given up, because the database refuses the answers to them.
  public var unknown = 0
  /// How many due deliveries wait for a provider that was not asked for, counted up to ``countedUnserved``.
  public var unserved = 0

  /// Counting goes no further, so that it costs the same no matter how many wait.
  public static let countedUnserved = 1_000

  /// A batch from its parts.
  public init(lease: UUID, pushes: [QueuedPush], expired: Int = 0, undeliverable: Int = 0, held: Int = 0) {
    (self.lease, self.pushes) = (lease, pushes)
    (self.expired, self.undeliverable, self.held) = (expired, undeliverable, held)
  }

  /// How many due deliveries were dealt with; none only where none was left.
  public var taken: Int { pushes.count + expired + undeliverable + held + unknown }
}
