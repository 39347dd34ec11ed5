package import FoundationEssentials

/// The changes to one delivery and its device after an attempt.
package struct DeliverySettlement: Sendable, Equatable {
  package var id: UUID
  /// Its device at the time of the claim.
  package var recipient: QueuedPush.Device
  package var state: DeliveryState
  /// When it is due again; `nil` keeps the time.
  ///
  /// With ``DeviceEffect/deactivated(ifRegisteredBy:)``, this is the time if the device stays active.
  package var notBefore: Date?
  /// The environment to try next; `nil` keeps it.
  package var probe: PushEnvironment?
  /// Whether this counts as an attempt.
  package var usesAttempt = false
  package var device = DeviceEffect.none
  /// The attempt's status in the log; `nil` if nothing was sent.
  package var log: PushLogStatus?
  /// The sent payload for the log, as JSON; `nil` if the log keeps none.
  package var payload: String?
  package var report: PushReport
}

/// The states of a delivery before and after it is sent; `opened` and `acted` follow when the app reports them.
package enum DeliveryState: String, Sendable {
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
package enum PushLogStatus: String, Sendable {
  /// APNs took it.
  case sent
  /// It failed; if it is retried, an operator first has to fix the cause.
  case failed
  /// The device can no longer be reached by this token.
  case tokenExpired = "token_expired"
  /// No answer came.
  case unknown
  /// APNs asked the sender to wait.
  case deferred
}

extension PushReport {
  /// The status of an attempt that was retried at once.
  package var repeatedLog: PushLogStatus { status == nil ? .unknown : .deferred }
}

/// The effect of an attempt on its device.
package enum DeviceEffect: Sendable, Equatable {
  case none
  /// It works, in the environment and for the topic of the attempt.
  case accepted
  /// It is deactivated, unless the app has registered the token again after this time.
  ///
  /// If it was registered, or a push to it was accepted, after the claim, it stays active, and the delivery goes back
  /// to the queue.
  case deactivated(ifRegisteredBy: Date)
  /// It gets no push until then.
  case held(until: Date)
}
