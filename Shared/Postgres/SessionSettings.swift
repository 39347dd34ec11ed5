extension Session {
  /// The limits of every session of a connection.
  struct Settings: Sendable {
    let connectTimeout: Duration
    let statementTimeout: Duration?
    let idleInTransactionTimeout: Duration?
    let parameters: [(name: StaticString, value: StaticString)]

    /// The parameters of a session by their names: the formats of values, the limits, and `parameters`.
    var all: [(name: String, value: String)] {
      var all = [
        ("timezone", "UTC"), ("datestyle", "ISO"), ("bytea_output", "hex"), ("extra_float_digits", "1"),
        ("standard_conforming_strings", "on"),
      ]
      if let statementTimeout { all.append(("statement_timeout", "\(statementTimeout.milliseconds)")) }
      if let idleInTransactionTimeout {
        all.append(("idle_in_transaction_session_timeout", "\(idleInTransactionTimeout.milliseconds)"))
      }
      return all + parameters.map { ("\($0.name)", "\($0.value)") }
    }

    /// How long the client waits for the server to end a statement that has reached its limit or was cancelled.
    static let grace = Duration.seconds(2)
    /// After this silence the server is asked whether it is there before it gets a request.
    static let silence = Duration.seconds(1)
    /// How long its answer may take.
    static let probeLimit = Duration.seconds(4)
  }
}
