import CPostgres

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
  package var isLasting: Bool { self != .full && self != .other }

  /// What to look at; `nil` where only the server knows.
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
  /// What libpq says about a connection that it could not open; `nil` where no server has refused it.
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

  /// What the server says that refuses the client, and what to look at: a sentence.
  package var refusalSaid: String { "It says: \(said)" }

  private var said: String { "\(message)\(refusal?.advice.map { "; \($0)" } ?? "")".ended }
}

extension String {
  /// The sentence with its full stop; a question has its mark, as libpq's "accepting TCP/IP connections?" has.
  fileprivate var ended: String { hasSuffix("?") || hasSuffix(".") ? self : self + "." }
}
