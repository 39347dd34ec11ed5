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

/// How long a request may take, and whether its task may end it.
struct Limit {
  var deadline: ContinuousClock.Instant?
  let isCancellable: Bool
  var isCancelled = false
  /// How often it may be extended while the server works.
  var extensions = 0

  init(after duration: Duration?, isCancellable: Bool = true) {
    deadline = duration.map { .now + $0 }
    self.isCancellable = isCancellable
  }

  /// The time left in milliseconds, rounded up; -1 for no limit.
  var pollTimeout: Int32 {
    guard let deadline else { return -1 }
    let left = ContinuousClock.Instant.now.duration(to: deadline)
    return left <= .zero ? 0 : Int32(clamping: left.milliseconds + 1)
  }
}

extension Duration {
  /// Whole milliseconds, and at least one, since the server takes 0 for "no limit".
  var milliseconds: Int64 {
    max(1, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}
