public import FoundationEssentials

/// What is to be written about one delivery after an attempt.
public struct DeliverySettlement: Sendable, Equatable {
  /// The delivery.
  public var id: UUID
  /// Its device as it stood when the delivery was taken.
  public var recipient: QueuedPush.Device
  /// Its new state.
  public var state: DeliveryState
  /// When it is due again; `nil` leaves that as it is.
  ///
  /// With ``DeviceEffect/deactivated(ifRegisteredBy:)``: when it is due again if the device stays active.
  public var notBefore: Date?
  /// The environment that is left to be tried; `nil` leaves that as it is.
  public var probe: PushEnvironment?
  /// Whether an attempt was used up.
  public var usesAttempt = false
  /// What follows for the device.
  public var device = DeviceEffect.none
  /// The attempt's line in the log; `nil` for what was never sent.
  public var log: PushLogStatus?
  /// What was sent, for the log: JSON; `nil` where the log does not get it.
  public var payload: String?
  /// What is known of the attempt.
  public var report: PushReport
}

/// The states that a delivery is in before and after it is sent; `opened` and `acted` follow when the app reports them.
public enum DeliveryState: String, Sendable {
  /// Waiting for its time.
  case queued
  /// APNs took it.
  case accepted
  /// Not sent, or refused for good.
  case rejected
  /// Its time ran out.
  case expired
  /// Its time ran out, and nobody can know whether APNs took it.
  case unknown
}

/// The statuses of `push_notification_logs`.
public enum PushLogStatus: String, Sendable {
  /// APNs took it.
  case sent
  /// It failed, or failed for now for a reason that a person must mend.
  case failed
  /// The device can no longer be reached by this token.
  case tokenExpired = "token_expired"
  /// No answer came.
  case unknown
  /// APNs asked for patience.
  case deferred
}

extension PushReport {
  /// The line of an attempt that was followed by another at once.
  public var repeatedLog: PushLogStatus { status == nil ? .unknown : .deferred }
}

/// What an attempt says about its device.
public enum DeviceEffect: Sendable, Equatable {
  /// Nothing.
  case none
  /// It works, in the environment and for the topic of the attempt.
  case accepted
  /// It is to be deactivated, unless the app has registered the token again after this time.
  ///
  /// Where it was registered, or something was accepted for it, after the delivery was taken, nothing is held against
  /// it, and the delivery goes back to the queue.
  case deactivated(ifRegisteredBy: Date)
  /// It is to be left in peace until then.
  case held(until: Date)
}
