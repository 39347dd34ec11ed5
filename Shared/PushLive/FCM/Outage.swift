/// Why nothing can be sent for the moment.
struct Outage: Error, Sendable, Equatable {
  /// For the log: no secrets.
  let reason: String
  /// How long nothing is sent.
  let pause: Duration
}
