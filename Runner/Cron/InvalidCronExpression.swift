/// A text that is not a cron expression, or that would never fire.
package struct InvalidCronExpression: Error, Hashable, CustomStringConvertible {
  /// The text as it was written.
  package let expression: String
  /// The fault and its place, as the end of a sentence without its full stop.
  package let reason: String

  package var description: String { "The schedule \"\(expression)\" is not valid: \(reason)." }
}
