/// What an act settled.
public struct Settlement: Codable, Sendable, Equatable {
  /// The function's name.
  public let function: String
  /// The event's id.
  public let event: String
  /// How many notifications had asked for it, and are read now.
  public internal(set) var handled = 0
  /// How many deliveries left the queue.
  public internal(set) var withdrawn = 0
  /// How many notifications no longer wait to be sent.
  public internal(set) var held = 0
  /// How many devices get a push of the badge.
  public internal(set) var badgePushes = 0
  /// Why there was nothing to settle.
  public internal(set) var reason: String?
  /// Only in a dry run: `true`.
  public internal(set) var dryRun: Bool?

  init(of event: Occurrence, reason: String? = nil) {
    (function, self.event, self.reason) = (event.function, event.id, reason)
    dryRun = event.dryRun ? true : nil
  }

  var hasEffect: Bool { handled + withdrawn + held + badgePushes > 0 }
}
