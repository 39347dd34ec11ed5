public import FoundationEssentials

/// What one attempt to send a push means for the delivery, the device and everybody else's deliveries.
public indirect enum PushVerdict: Sendable, Equatable {
  /// APNs took the push. It does not say whether the device got it.
  case accepted
  /// The token has been dead since `at`; without a time nothing follows for the device.
  case deviceGone(at: Date?)
  /// APNs does not know the token in this environment; mostly a mix-up of sandbox and production.
  case deviceSuspect
  /// The token belongs to another app than the topic.
  case deviceNotForTopic
  /// APNs is in trouble: the delivery waits, at least as long as APNs asked for.
  case retryLater(atLeast: Duration?)
  /// The provider asks for patience: the delivery waits at least this long, and longer after every earlier attempt.
  case backOff(atLeast: Duration)
  /// The connection was at fault, not the push: once more on a fresh one, and `otherwise` if that ends the same way.
  case retryAtOnce(otherwise: PushVerdict)
  /// The provider token is too old: once more with a new one on a fresh connection.
  case renewToken
  /// Too many pushes to one device: that device waits, at least as long as APNs asked for.
  case holdDevice(atLeast: Duration?)
  /// Too many new provider tokens: the whole team waits, and no token is made.
  case holdTeam
  /// The configuration of the app is wrong: the app waits, no device is touched.
  case holdApp
  /// The key, or what it may be used for, is wrong: everything that is sent with it waits, no device is touched.
  case holdCredential
  /// Too many of the app's tokens are refused at once for the fault to be the devices': none is touched, the app waits.
  case holdSuspect(pause: Duration)
  /// There is no key for the app: it waits, and was not sent.
  case noKey
  /// The push itself is wrong; no further attempt would help, and no device is touched.
  case rejected
  /// The payload is over the limit: a defect in how it was made.
  case payloadTooLarge
  /// The push may or may not have been processed.
  case unknown
  /// The push was not processed; `pause` is how long its app is still held, `nil` where it is not.
  case notSent(pause: Duration?)
}
