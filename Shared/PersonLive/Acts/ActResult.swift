import FunctionKit
import StoreLive

/// The effects of an act, as its event's result.
package struct ActResult: Codable, Sendable, Equatable {
  /// The function's name.
  package let function: String
  /// The event's id.
  package let event: String
  /// How many notifications asked for it and are read now.
  package internal(set) var handled = 0
  /// How many deliveries left the queue.
  package internal(set) var withdrawn = 0
  /// How many notifications are no longer held.
  package internal(set) var held = 0
  /// How many devices get a push of the badge.
  package internal(set) var badgePushes = 0
  /// Why there was nothing to settle.
  package internal(set) var reason: String?
  /// `true` in a dry run, else `nil`.
  package internal(set) var dryRun: Bool?

  init(of event: EventContext, reason: String? = nil) {
    (function, self.event, self.reason) = (event.function, event.id, reason)
    dryRun = event.dryRun ? true : nil
  }

  init(recorded: String) throws {
    self = try JSONCoding.decode(Self.self, from: RawJSON(validating: Array(recorded.utf8)[...]))
  }

  var hasEffect: Bool { handled + withdrawn + held + badgePushes > 0 }
}
