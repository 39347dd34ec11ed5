/// What the console may do.
package enum ConsoleMode: String, Sendable, CaseIterable {
  /// The runner serves no console.
  case off
  case readOnly = "read-only"
  case on
}
