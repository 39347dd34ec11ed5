/// The rights of the console.
package enum ConsoleMode: String, Sendable, CaseIterable {
  /// The runner serves no console.
  case off
  case readOnly = "read-only"
  case on
}
