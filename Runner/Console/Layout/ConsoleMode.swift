/// What the console may do.
package enum ConsoleMode: String, Sendable, CaseIterable {
  /// There is none.
  case off
  case readOnly = "read-only"
  case on
}
