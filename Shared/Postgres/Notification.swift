/// What a session said with `NOTIFY`.
public struct Notification: Hashable, Sendable {
  /// The channel.
  public let channel: String
  /// The text given with it; empty when none was.
  public let payload: String
  /// The server process of the session that notified.
  public let processID: Int32
}
