/// A person's travel time to an event, from the last report of their device.
package struct Travel: Sendable, Hashable {
  /// Whole minutes.
  package let minutes: Int
  /// Such as `car`.
  package let mode: String?
  /// Such as `light`.
  package let traffic: String?

  package init(minutes: Int, mode: String? = nil, traffic: String? = nil) {
    (self.minutes, self.mode, self.traffic) = (minutes, mode, traffic)
  }
}
