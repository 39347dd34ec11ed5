import Notifications

/// Why nothing can be sent for the moment.
struct Outage: Error, Sendable, Equatable {
  /// The reason for the log, without secrets.
  let reason: String
  /// The same in words for a person, without secrets; `nil` where it is a matter of moments.
  var words: String?
  /// How long nothing is sent.
  let pause: Duration
}

extension Outage {
  static let noServiceAccount = Outage(
    reason: "NoServiceAccount", words: "no service account serves the app", pause: RetryTiming.configuration)
}
