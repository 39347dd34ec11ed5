public import FoundationEssentials

/// What became of the notifications that had waited.
public struct ReleaseResult: Encodable, Sendable, Equatable {
  /// Notifications that were sent to their people's devices.
  public internal(set) var released = 0
  /// Notifications that are told by one of those.
  public internal(set) var merged = 0
  /// Notifications that one push told of after quiet hours; that push is among the released.
  public internal(set) var summarized = 0
  /// Notifications that wait on.
  public internal(set) var held = 0
  /// Notifications that stay in the inbox, or left it.
  public internal(set) var suppressed = 0
  /// When the next ones come due; absent when nothing waits.
  public internal(set) var wakeAt: Date?
}
