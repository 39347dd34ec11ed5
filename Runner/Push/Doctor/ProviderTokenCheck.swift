import CLI
import FoundationEssentials
import FunctionKit
import Postgres

/// Checks the age of the shared provider tokens; it never reads the tokens themselves.
struct ProviderTokenCheck {
  /// The age in seconds beyond which APNs refuses a token.
  static let life = 3_600.0

  private let database: Connection

  init(_ database: Connection) {
    self.database = database
  }

  /// - Parameter now: the time of the clock that dates the tokens.
  func findings(now: Date) async throws(PostgresError) -> [Finding] {
    let here = try await database.query("SELECT to_regclass('push_provider_tokens') IS NOT NULL AS here").only()
    guard try here.decode("here", as: Bool.self) else { return [] }
    let rows = try await database.query(
      """
      SELECT team_id, key_id, environment, extract(epoch FROM max(issued_at))::float8 AS issued
      FROM push_provider_tokens GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      """)
    guard !rows.isEmpty else { return [.ok("provider token", "none yet: it is made with the first push")] }
    return try rows.map { row throws(PostgresError) in
      let age = now.timeIntervalSince1970 - (try row.decode("issued", as: Double.self))
      let name = [row["team_id"], row["key_id"], row["environment"]].compactMap { $0 }.joined(separator: ", ")
      return Self.finding(name, age: age)
    }
  }

  static func finding(_ name: String, age: TimeInterval) -> Finding {
    let minutes = Int((abs(age) / 60).rounded(.down))
    switch age {
    case ..<(-ClockSkew.tolerated):
      return .missing("provider token", "\(name): dated \(minutes) min ahead of the clock: APNs refuses it")
    case life...: return .ok("provider token", "\(name): \(minutes) min old; the next push renews it")
    default: return .ok("provider token", "\(name): \(minutes) min old")
    }
  }
}
