package import FoundationEssentials

/// What one attempt means for its delivery, its device and other deliveries.
package indirect enum PushVerdict: Sendable, Equatable {
  /// APNs accepted the push. It does not say whether the device got it.
  case accepted
  /// The token has been invalid since `at`; without a time, the device stays as it is.
  case deviceGone(at: Date?)
  /// APNs does not know the token in this environment; the usual cause is a mix-up of sandbox and production.
  case deviceSuspect
  /// The token and the topic belong to different apps; a device that has not named the topic stays as it is.
  case deviceNotForTopic
  /// APNs failed: the delivery waits, at least as long as APNs asked for.
  case retryLater(atLeast: Duration?)
  /// The provider asks to wait: the delivery waits at least this long, and longer after each earlier attempt.
  case backOff(atLeast: Duration)
  /// The connection failed, not the push: it is retried once on a fresh one; `otherwise` counts if that fails too.
  case retryAtOnce(otherwise: PushVerdict)
  /// The provider token is too old: the push is retried once with a new token on a fresh connection.
  case renewToken
  /// Too many pushes to one device: that device waits, at least as long as APNs asked for.
  case holdDevice(atLeast: Duration?)
  /// Too many new provider tokens: the whole team waits, and no token is made.
  case holdTeam
  /// The configuration of the app is wrong: the app waits, no device is touched.
  case holdApp
  /// The key or its permissions are wrong: everything that is sent with the key waits, no device is touched.
  case holdCredential
  /// Too many of the app's tokens are refused at once, so the devices are not the cause: the app waits, no device is
  /// touched.
  case holdSuspect(pause: Duration)
  /// The topic that the configuration gives an app's devices seems to be another app's, or its account another
  /// project's: the deliveries wait, no device is touched.
  case holdTopic
  /// There is no key for the app: the push was not sent, and the app waits.
  case noKey
  /// The push itself is wrong: a retry would not help, and no device is touched.
  case rejected
  /// The payload is over the limit: a defect in how it was made.
  case payloadTooLarge
  /// The push may or may not have been processed.
  case unknown
  /// The push was not processed; `pause` is how long its app is still on hold, `nil` if it is not.
  case notSent(pause: Duration?)
}
