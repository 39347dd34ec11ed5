/// A message that a session sent with `NOTIFY`.
package struct Notification: Hashable, Sendable {
  package let channel: String
  /// At most 7,999 bytes; empty if the sender gave none.
  package let payload: String
  /// The server process of the session that notified.
  package let processID: Int32
}
