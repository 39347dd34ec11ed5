package import FoundationEssentials

/// The Live Activity about what a notification tells of, on one of the person's devices.
package struct ActivityReport: Codable, Sendable {
  package var device: DeviceSummary
  package var state: State
  /// Why: a provider's reason such as `BadDeviceToken`, or a word such as `unwanted`, or `channel` where it runs and
  /// listens to its group's channel, or `failing` where its proposal cannot be read; absent where the state says all.
  package var reason: String?
  /// Since when that is so; while it waits, when it is looked at again.
  package var at: Date?
  /// How many pushes after the start APNs has accepted.
  package var updates: Int
  /// When it accepted the last of them; absent if there are none.
  package var updatedAt: Date?
  /// The same in a sentence, such as `Live Activity on iOS e7e7e7e7…: started by the app at 13:00:00`.
  package var words = ""

  package init(
    device: DeviceSummary, state: State, reason: String? = nil, at: Date?, updates: Int, updatedAt: Date? = nil
  ) {
    (self.device, self.state, self.reason, self.at) = (device, state, reason, at)
    (self.updates, self.updatedAt) = (updates, updatedAt)
  }

  package enum State: String, Codable, Sendable, CaseIterable {
    /// No push was to start one.
    case absent
    case waiting
    /// The push that starts it is queued.
    case starting
    /// The push that was to start it did not reach the device.
    case refused
    /// No answer came to the push that starts it: it is not sent again.
    case unknown
    /// APNs has accepted the start; until the app registers the activity's token, nothing can update it.
    case started
    /// Pushes update it.
    case running
    case ended
  }
}
