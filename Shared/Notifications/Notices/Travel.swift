/// How long somebody's way to an event takes, as their device last said.
public struct Travel: Sendable, Hashable {
  /// Whole minutes.
  public let minutes: Int
  /// Such as `car`.
  public let mode: String?
  /// Such as `light`.
  public let traffic: String?

  /// A way from its parts.
  public init(minutes: Int, mode: String? = nil, traffic: String? = nil) {
    (self.minutes, self.mode, self.traffic) = (minutes, mode, traffic)
  }
}
