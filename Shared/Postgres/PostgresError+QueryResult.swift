import CPostgres

extension PostgresError {
  /// What a failed result says.
  init(_ result: QueryResult, of text: String? = nil) {
    let sqlState = result.diagnostic(shim_diag_sqlstate)
    let message = result.diagnostic(shim_diag_message) ?? result.message
    switch sqlState {
    case nil: self.init(.connection, message)
    case _ where result.endsSession: self.init(.connection, message)
    case "57014": self.init(.timedOut, message)
    case let state?: self.init(.sqlState(state), message)
    }
    self.sqlState = sqlState
    detail = result.diagnostic(shim_diag_detail)
    hint = result.diagnostic(shim_diag_hint)
    table = result.diagnostic(shim_diag_table) ?? result.diagnostic(shim_diag_context).flatMap(Self.lockedTable)
    column = result.diagnostic(shim_diag_column)
    constraint = result.diagnostic(shim_diag_constraint)
    // The tables changed after the plan was made, or a `DISCARD` has removed it.
    isStalePlan =
      sqlState == "26000"
      || sqlState == "0A000" && result.diagnostic(shim_diag_source_function) == "RevalidateCachedQuery"
    if let text, let position = result.diagnostic(shim_diag_position).flatMap({ Int($0) }) {
      line = 1 + text.unicodeScalars.prefix(position - 1).count { $0 == "\n" }
    }
  }

  /// The table of the row that was waited for, which the server names in its context only.
  private static func lockedTable(_ context: String) -> String? {
    context.firstMatch(of: /while [a-z ]+ tuple \([0-9]+,[0-9]+\) in relation "([^"]+)"/).map { String($0.1) }
  }
}
