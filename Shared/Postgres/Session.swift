import CPostgres
import Glibc

/// One session with the server: the owner of a `PGconn`.
///
/// Not `Sendable`: it lives in its connection's actor.
final class Session {
  let raw: OpaquePointer
  let string: ConnectionString
  let signal: Signal
  let settings: Settings
  /// The number of this session in its connection, from 1.
  let number: Int
  var statements = StatementCache()
  /// The limit of the current request.
  var limit: Limit
  /// Whether the request has sent anything.
  var hasSent = false
  /// When something last came from the server.
  var heard = ContinuousClock.now
  /// The `BEGIN` of a transaction, until it goes to the server together with the transaction's first request.
  var beginning: SQL?
  /// Set if the session's state is unknown; then it must not be used again.
  var isAbandoned = false
  /// Why the server ends the session, if it has said so while the session was idle.
  private var farewell: String?

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

  /// Connects, and sets the formats of values.
  init(
    _ string: ConnectionString, settings: Settings, signal: Signal, number: Int = 1
  ) throws(PostgresError) {
    guard let raw = Self.connect(string) else { throw PostgresError(.connection, "There is no memory for it.") }
    self.raw = raw
    self.string = string
    self.signal = signal
    self.settings = settings
    self.number = number
    limit = Limit(after: settings.connectTimeout)
    guard PQstatus(raw) == CONNECTION_OK else {
      let error = lost()
      throw error.with { $0.refusal = Refusal(of: raw, saying: error.message) }
    }
    guard PQsetnonblocking(raw, 1) == 0 else { throw lost() }

    // By default libpq writes the server's notices to stderr, which belongs to the log. An error is a notice, too, if it
    // comes while the session is idle: the server says why it ends the session before it closes the connection. A result
    // that outlives the session has notices, too, but none of them is an error.
    PQsetNoticeReceiver(
      raw,
      { session, notice in
        guard let session, QueryResult.endsSession(notice) else { return }
        Unmanaged<Session>.fromOpaque(session).takeUnretainedValue().hear(farewell: notice)
      }, Unmanaged.passUnretained(self).toOpaque())
    if !string.isPooled { try script(preamble) }
  }

  deinit {
    PQfinish(raw)
  }

  var isUsable: Bool { !isAbandoned && PQstatus(raw) == CONNECTION_OK }

  var isInTransaction: Bool { beginning != nil || PQtransactionStatus(raw) != PQTRANS_IDLE }

  /// Whether the server has ended an idle session.
  ///
  /// Its last messages wait in the socket. It may not have closed the connection yet.
  func hasEnded() -> Bool {
    var socket = pollfd(fd: PQsocket(raw), events: Int16(POLLIN), revents: 0)
    while isUsable, poll(&socket, 1, 0) > 0 {
      guard PQconsumeInput(raw) == 1 else { return true }
      // Nothing else makes libpq look at what it has read, and takes no notification.
      _ = PQisBusy(raw)
    }
    return !isUsable
  }

  private func hear(farewell notice: OpaquePointer?) {
    isAbandoned = true
    farewell = PQresultErrorField(notice, shim_diag_message).map { String(cString: $0) }
  }

  /// The error for a lost connection.
  func lost() -> PostgresError {
    isAbandoned = true
    let message = farewell ?? PQerrorMessage(raw).map { String(cString: $0).oneLine } ?? ""
    return PostgresError(.connection, message.isEmpty ? "The connection was lost." : message, outcomeIsUnknown: hasSent)
  }

  private var preamble: String {
    settings.all.map { "set \($0.name) = '\($0.value)'" }.joined(separator: "; ")
  }

  private static func connect(_ string: ConnectionString) -> OpaquePointer? {
    string.withParameters { PQconnectdbParams($0, $1, 0) }
  }
}

extension Duration {
  /// Whole milliseconds, and at least one, since the server takes 0 for "no limit".
  var milliseconds: Int64 {
    max(1, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}
