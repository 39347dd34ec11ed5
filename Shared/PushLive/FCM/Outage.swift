/// Why nothing can be sent for the moment.
struct Outage: Error, Sendable, Equatable {
  /// The reason for the log, without secrets.
  let reason: String
  /// How long nothing is sent.
  let pause: Duration
}
