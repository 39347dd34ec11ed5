extension PostgresError {
  static let cancelled = PostgresError(.cancelled, "The task was cancelled.")

  func with(_ change: (inout PostgresError) -> Void) -> PostgresError {
    var changed = self
    change(&changed)
    return changed
  }

  /// The same for a request that ends with a commit.
  var asCommit: PostgresError {
    guard outcomeIsUnknown, code == .connection || code == .timedOut else { return self }
    return with { $0.code = .commitUnknown }
  }
}
