/// Text that is no cron expression, or one that would never fire.
struct InvalidCronExpression: Error, Hashable, CustomStringConvertible {
  /// As it was written.
  let expression: String
  /// What is wrong with it and where, as the end of a sentence without its full stop.
  let reason: String

  var description: String { "The schedule \"\(expression)\" is not valid: \(reason)." }
}
