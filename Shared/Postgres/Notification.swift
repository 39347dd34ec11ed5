/// What a session sent with `NOTIFY`.
package struct Notification: Hashable, Sendable {
  /// The channel.
  package let channel: String
  /// Its text; empty if there is none.
  package let payload: String
  /// The server process of the session that notified.
  package let processID: Int32
}
