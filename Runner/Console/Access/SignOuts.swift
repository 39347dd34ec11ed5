import FunctionKit
import Postgres
import System

/// The sessions that somebody has ended, on any runner: the database knows them, by hashes of their cookies.
@RunnerLoop
final class SignOuts {
  private static let mostRemembered = 1_000

  private let database: Connection
  /// Sessions that had not ended when this runner looked last.
  private var open: Set<String> = []

  /// - Parameter database: its statements may only read unless their transaction says otherwise.
  init(_ database: Connection) {
    self.database = database
  }

  /// The first of some sessions that nobody has ended; `nil` if there is none.
  ///
  /// While the database is away nobody can sign out either, so those go on that were open before.
  func open(of sessions: [String]) async throws(PostgresError) -> String? {
    do {
      let ended = try await database.query(
        "SELECT session FROM runner.sign_outs WHERE session = ANY (\(sessions.map(Self.hash)))"
      ).decode("session", as: String.self)
      open.subtract(sessions)
      guard let session = sessions.first(where: { !ended.contains(Self.hash($0)) }) else { return nil }
      begin(session)
      return session
    } catch {
      guard error.isOfServer, let session = sessions.first(where: open.contains) else { throw error }
      return session
    }
  }

  /// Notes a session that somebody has just begun here.
  func begin(_ session: String) {
    if open.count >= Self.mostRemembered { open.removeAll(keepingCapacity: true) }
    open.insert(session)
  }

  /// Ends sessions for good.
  func end(_ sessions: [String]) async throws {
    try await database.transaction { transaction in
      _ = try await transaction.query(
        "DELETE FROM runner.sign_outs WHERE at < clock_timestamp() - interval '30 days'")
      _ = try await transaction.query(
        "INSERT INTO runner.sign_outs (session) SELECT unnest(\(sessions.map(Self.hash))) ON CONFLICT DO NOTHING")
    }
    open.subtract(sessions)
  }

  private static func hash(_ session: String) -> String { SHA256.hex(Array(session.utf8)) }
}

extension PostgresError {
  /// Whether the database cannot be reached, stops or starts, or has no room, so that the question is not the reason.
  var isOfServer: Bool {
    if isOfNetwork || [.connection, .commitUnknown, .otherSession].contains(code) { return true }
    return sqlState.map { $0.hasPrefix("57P") || $0.hasPrefix("53") } ?? false
  }
}
