import CPostgres

/// Why PostgreSQL, or the way to it, failed.
package struct PostgresError: Error, Sendable {
  /// The kind of failure.
  package enum Code: Hashable, Sendable {
    /// The connection string cannot be read.
    case invalidURL
    /// The connection could not be opened, or was lost.
    case connection
    /// The answer to a commit was lost. The transaction, or the pipeline outside of one, may or may not have taken
    /// effect.
    case commitUnknown
    /// The server refused the statement with this SQLSTATE.
    case sqlState(String)
    /// The statement ran longer than it may, or an administrator cancelled it.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The session that was asked for has ended; nothing was sent.
    case otherSession
    /// A column is not there, or does not hold what was asked for.
    case decoding
    /// The call breaks a rule of the client: the message says which.
    case usage
  }

  /// The kind of failure.
  package internal(set) var code: Code
  /// The words of the server or the client; the server may quote a value in them.
  package let message: String
  /// The five characters of the server's error code, even if `code` is more general.
  package internal(set) var sqlState: String?
  /// The server's detail.
  ///
  /// It may quote whole rows, so it is for tests and never for a log.
  package internal(set) var detail: String?
  /// The server's advice.
  package internal(set) var hint: String?
  /// The table, column and constraint that the server names.
  package internal(set) var table: String?, column: String?, constraint: String?
  /// The line of the text, from 1, where the server found the error.
  package internal(set) var line: Int?
  /// The number of the statement of a pipeline or script that failed, from 0.
  package internal(set) var statementIndex: Int?
  /// Whether the request may have taken effect although it failed, because it was sent and its answer did not come.
  package internal(set) var outcomeIsUnknown: Bool
  /// Whether the server could not be reached or stopped answering, so that the request itself is not the reason.
  package internal(set) var isOfNetwork = false
  /// Why a server that is there did not let the client in, if that is the reason.
  package internal(set) var refusal: Refusal?

  var isStalePlan = false

  init(_ code: Code, _ message: String, outcomeIsUnknown: Bool = false) {
    self.code = code
    self.message = message
    self.outcomeIsUnknown = outcomeIsUnknown
  }

  /// Whether the same transaction may succeed if it runs again; never true if it may have taken effect.
  package var isRetryable: Bool {
    guard !outcomeIsUnknown else { return false }
    if case .connection = code { return true }
    if isStalePlan { return true }
    guard let sqlState else { return false }
    // Serialization failure, deadlock, lock not available, insufficient resources, server starting or stopping.
    return ["40001", "40P01", "55P03", "57P01", "57P02", "57P03"].contains(sqlState) || sqlState.hasPrefix("53")
  }

  /// Reads the fields of a failed result.
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

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of failure and the names of its objects, without a value of a parameter or a row.
  package var description: String {
    var parts = [summary]
    if let table { parts.append("table \(table)") }
    if let column { parts.append("column \(column)") }
    if let constraint { parts.append("constraint \(constraint)") }
    if let statementIndex { parts.append("statement \(statementIndex)") }
    if let line { parts.append("line \(line)") }
    return parts.joined(separator: ", ")
  }

  /// The description with the server's own words, which may quote a value but never a whole row.
  package var debugDescription: String {
    var text = description
    if !messageIsSafe { text += ": \(message)" }
    if let hint { text += " (\(hint))" }
    return text
  }

  private var summary: String {
    let name =
      switch code {
      case .sqlState(let state): "PostgreSQL error \(state)"
      case .commitUnknown: "commit unknown"
      case .timedOut: "timed out"
      case .invalidURL: "invalid connection string"
      case .connection: "connection failed"
      case .cancelled: "cancelled"
      case .otherSession: "another session"
      case .decoding: "decoding failed"
      case .usage: "wrong use"
      }
    return messageIsSafe ? "\(name): \(message)" : name
  }

  /// Messages of these classes name objects.
  ///
  /// Messages of other classes, such as 22 and P0, quote values.
  private var messageIsSafe: Bool {
    guard let sqlState else { return true }
    return ["08", "0A", "23", "25", "26", "28", "3D", "40", "42", "53", "54", "55", "57", "58"]
      .contains { sqlState.hasPrefix($0) }
  }
}

/// Why a server that is there does not let a client in.
package enum Refusal: Sendable, Hashable {
  /// The password is wrong, or there is none.
  case password
  /// The server's rules do not let the role in, or the role may not log in.
  case role
  /// There is no such database, or it takes nobody.
  case database
  /// The role may not connect to the database.
  case right
  /// The two do not agree about TLS, or a certificate is not trusted.
  case encryption
  /// All connections are taken.
  case full
  /// Something else, which the server says.
  case other

  /// Whether waiting does not help: somebody has to change something first.
  var isLasting: Bool { self != .full && self != .other }

  /// Advice about the cause; `nil` where only the server knows.
  package var advice: String? {
    switch self {
    case .password: "look at the user and the password of the connection string"
    case .role: "look at the server's pg_hba.conf, and whether the role is there and may log in"
    case .database: "look at the name of the database in the connection string"
    case .right: "GRANT CONNECT ON DATABASE lets the role in"
    case .encryption: "look at sslmode and the certificates"
    case .full: "look at max_connections, and in pg_stat_activity at who is connected"
    case .other: nil
    }
  }
}

extension Refusal {
  /// The words of libpq about a connection that it could not open; `nil` where no server has refused it.
  ///
  /// libpq gives several messages if it has several addresses, or has tried with and without TLS. As long
  /// as one of them is about something that passes, waiting may help.
  ///
  /// - Parameter text: with the SQLSTATE of what the server says, which has its own language.
  init?(libpq text: String) {
    let states = text.matches(of: #/:  ([0-9A-Z]{5}): /#).map { String($0.1) }
    let found = states.map(Self.init(sqlState:)) + (states.isEmpty ? [Self(clientText: text)] : [])
    guard let first = found.first, let first, !found.contains(nil) else { return nil }
    self = found.compactMap(\.self).first { !$0.isLasting } ?? first
  }

  private init?(sqlState: String) {
    switch sqlState {
    case "28P01": self = .password
    case "3D000", "55000": self = .database
    case "42501": self = .right
    case "53300": self = .full
    // It starts, stops or recovers.
    case "57P03": return nil
    // A pooler such as Supavisor says XX000 to all that it refuses, also for what passes: a project that is being restored
    // has no tenant for a while. What it says is told, and waiting may help.
    default: self = sqlState.hasPrefix("28") ? .role : .other
    }
  }

  /// libpq has no code for what it finds by itself; its texts are English, because no program here sets a locale.
  private init?(clientText text: String) {
    let causes = text.split(separator: "failed: ").dropFirst()
    if causes.contains(where: { $0.contains("no password supplied") }) {
      self = .password
    } else if causes.contains(where: { $0.contains("does not support SSL") || $0.contains("certificate") }) {
      self = .encryption
    } else {
      return nil
    }
  }

  /// Asks a server again that could not be reached or has refused the client, to learn its SQLSTATE.
  ///
  /// libpq has it in its message only, and leaves it out of the first one. A message of the server has two spaces after
  /// its severity, and none of libpq's own has: a server that was silent is not asked again.
  init?(of connection: OpaquePointer, saying text: String) {
    guard text.contains(":  ") else {
      self.init(libpq: text)
      return
    }
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    PQreset(connection)
    guard PQstatus(connection) != CONNECTION_OK, let detailed = PQerrorMessage(connection) else { return nil }
    self.init(libpq: String(cString: detailed))
  }
}

extension PostgresError {
  /// Whether a server refuses the client until somebody changes something, so that it is not worth while to wait.
  package var isRefusal: Bool { refusal?.isLasting == true }

  /// Why there is no connection, and what to look at: a sentence.
  package var openingFailure: String {
    if code == .invalidURL { return "The database's connection string cannot be read. \(message)" }
    return refusal == nil
      ? "The database does not answer: \("\(self)".ended)" : "The database refuses the connection: \(said)"
  }

  /// A sentence with the words of a server that refuses the client, and with advice.
  package var refusalSaid: String { "It says: \(said)" }

  private var said: String { "\(message)\(refusal?.advice.map { "; \($0)" } ?? "")".ended }
}

extension String {
  /// The sentence with its full stop; a question has its mark, as libpq's "accepting TCP/IP connections?" has.
  fileprivate var ended: String { hasSuffix("?") || hasSuffix(".") ? self : self + "." }
}
