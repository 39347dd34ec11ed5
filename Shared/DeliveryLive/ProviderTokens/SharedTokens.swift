import FoundationEssentials
package import Notifications
package import Postgres

extension ProviderTokenStore {
  /// The tokens in the table `push_provider_tokens`; each is made under the lock of its row.
  ///
  /// A new token is returned only after its commit. A process that dies before has sent nothing with it; after an
  /// unknown commit, the process reads the row again. It throws ``ProviderTokensUnusable`` if the table or the
  /// permission is missing, else `PostgresError`. A process never falls back to its own token: every start would make
  /// one, and APNs would block the whole team.
  package static func postgres(_ connection: Connection) -> ProviderTokenStore {
    ProviderTokenStore { id, demand in
      do {
        if let token = try ProviderToken(try await connection.query(.providerToken(id))), demand.isMet(token) {
          return token
        }
        return try await connection.transaction { transaction in
          _ = try await transaction.pipeline([.limitedWaiting, .addProviderToken(id)])
          if let token = try ProviderToken(try await transaction.query(.lockProviderToken(id))), demand.isMet(token) {
            return token
          }
          let made = try demand.make()
          _ = try await transaction.query(.setProviderToken(id, made))
          return made
        }
      } catch let error as PostgresError {
        throw ProviderTokensUnusable(error) ?? error
      }
    }
  }
}

/// Why the tokens cannot be shared, in words for an operator.
package enum ProviderTokensUnusable: Error, CustomStringConvertible {
  /// The migration is missing.
  case noTable
  /// The database role may not read or write the table.
  case notPermitted

  init?(_ error: PostgresError) {
    switch error.sqlState {
    case "42P01": self = .noTable
    case "42501": self = .notPermitted
    default: return nil
    }
  }

  /// The cause and the remedy.
  package var description: String {
    switch self {
    case .noTable: "the table push_provider_tokens is missing: run `runner migrate`"
    case .notPermitted:
      "the database role may not use push_provider_tokens: GRANT SELECT, INSERT, UPDATE ON it to the role"
    }
  }
}

extension ProviderToken {
  fileprivate init?(_ rows: Rows) throws(PostgresError) {
    guard let row = rows.first, let bearer = row["token"], let issuedAt = try row.optional("issued_at", as: Date.self)
    else { return nil }
    self.init(bearer: bearer, issuedAt: issuedAt)
  }
}

extension SQL {
  /// Limits the wait for a process that is frozen while it has the lock; the server ends its session.
  fileprivate static let limitedWaiting: SQL = """
    SELECT set_config('lock_timeout', '5s', true), set_config('idle_in_transaction_session_timeout', '5s', true)
    """

  fileprivate static func providerToken(_ id: ProviderTokenID) -> SQL {
    "SELECT token, issued_at FROM push_provider_tokens WHERE \(row(id))"
  }

  fileprivate static func lockProviderToken(_ id: ProviderTokenID) -> SQL {
    "SELECT token, issued_at FROM push_provider_tokens WHERE \(row(id)) FOR UPDATE"
  }

  fileprivate static func addProviderToken(_ id: ProviderTokenID) -> SQL {
    """
    INSERT INTO push_provider_tokens (team_id, key_id, environment)
    VALUES (\(id.teamID), \(id.keyID), \(id.environment.rawValue)) ON CONFLICT DO NOTHING
    """
  }

  fileprivate static func setProviderToken(_ id: ProviderTokenID, _ token: ProviderToken) -> SQL {
    """
    UPDATE push_provider_tokens SET token = \(token.bearer), issued_at = \(token.issuedAt) WHERE \(row(id))
    """
  }

  private static func row(_ id: ProviderTokenID) -> SQL {
    "team_id = \(id.teamID) AND key_id = \(id.keyID) AND environment = \(id.environment.rawValue)"
  }
}
