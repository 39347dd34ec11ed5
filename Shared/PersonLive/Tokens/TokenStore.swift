import Formats
package import FoundationEssentials
package import FunctionKit
import Platform
package import Postgres
import StoreLive

/// Bearer tokens of the API, in PostgreSQL.
///
/// Our tokens are stored as their SHA-256 only. FeedbackKit's server stores its tokens in plain text in `user_tokens`;
/// they are accepted and not changed.
package struct TokenStore: Sendable {
  package let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// A store in the database that the environment names; it connects at the first use.
  package static func live(_ environment: Environment, name: String) throws(FunctionError) -> TokenStore {
    TokenStore(try Connection(environment, name: name))
  }

  /// The person of a token; `nil` if it is unknown, expired or revoked.
  ///
  /// The real time counts, not a virtual clock's.
  package func person(bearing token: String) async throws(PostgresError) -> Person? {
    try await connection.query(.person(bearing: token)).first.map { row throws(PostgresError) in
      Person(id: try row.decode("user_id"))
    }
  }

  /// Reads for the person of a token, in one statement; `nil` if the token is unknown, expired or revoked.
  ///
  /// A person without rows still has one, which is all NULL.
  package func read<Answer>(_ read: PersonalRead<Answer>, bearing token: String) async throws -> Answer? {
    // The only plan for a lateral join is a nested loop, and there is one person: the rows keep their order.
    let rows = try await connection.query(
      """
      SELECT found.* FROM (\(SQL.person(bearing: token))) bearer
      LEFT JOIN LATERAL (SELECT q.*, true AS is_row FROM (\(read.statement("bearer.user_id"))) q) found ON true
      """)
    guard let first = rows.first else { return nil }
    return try read.answer(first.optional("is_row") == true ? rows[...] : rows.prefix(0))
  }

  /// Issues a token; `nil` if nobody has the e-mail address, in any case.
  /// - Parameter name: the purpose, for lists of tokens.
  package func issue(
    to email: String, name: String, lasting lifetime: TimeInterval
  ) async throws(PostgresError) -> IssuedToken? {
    let token = APIToken.make()
    let rows = try await connection.query(
      """
      INSERT INTO api_tokens (user_id, token_hash, name, expires_at)
      SELECT id, \(APIToken.hash(token)), \(name), clock_timestamp() + make_interval(secs => \(lifetime))
      FROM users u WHERE \(.hasAddress("u", "\(email)")) ORDER BY email = \(email) DESC, to_jsonb(u) ->> 'created_at' LIMIT 1
      RETURNING id, name, created_at, expires_at
      """)
    return try rows.first.map { row throws(PostgresError) in
      IssuedToken(listing: try TokenListing(row), token: Secret(token))
    }
  }

  /// The tokens that we issued to a person, the newest first, including expired ones.
  package func tokens(of email: String) async throws(PostgresError) -> [TokenListing] {
    var listings: [TokenListing] = []
    for row in try await connection.query(
      """
      SELECT t.id, t.name, t.created_at, t.expires_at
      FROM api_tokens t JOIN users u ON u.id = t.user_id
      WHERE \(.hasAddress("u", "\(email)")) ORDER BY t.created_at DESC, t.id
      """)
    {
      listings.append(try TokenListing(row))
    }
    return listings
  }

  /// Revokes a token at once.
  /// - Returns: whether the token existed.
  package func revoke(_ id: UUID) async throws(PostgresError) -> Bool {
    try await connection.query("DELETE FROM api_tokens WHERE id = \(id)").affectedRows > 0
  }
}

extension SQL {
  /// The person of a token, as a row with the `user_id`.
  fileprivate static func person(bearing token: String) -> SQL {
    """
    SELECT user_id FROM api_tokens WHERE token_hash = \(APIToken.hash(token)) AND expires_at > clock_timestamp()
    UNION ALL
    SELECT user_id FROM user_tokens
    WHERE value = \(token) AND (expires_at IS NULL OR expires_at > clock_timestamp())
    LIMIT 1
    """
  }
}

extension TokenListing {
  init(_ row: Row) throws(PostgresError) {
    self.init(
      id: try row.decode("id", as: UUID.self).lowercased, name: try row.decode("name"),
      createdAt: try row.decode("created_at"),
      expiresAt: try row.decode("expires_at"))
  }
}

/// A person who sent a valid token.
package struct Person: Sendable, Equatable {
  /// The row of `users`.
  package let id: UUID

  package init(id: UUID) { self.id = id }
}

/// The facts about an issued token, without the token itself.
package struct TokenListing: Sendable, Encodable {
  /// The id to revoke it by, a UUID in lower case.
  package let id: String
  /// The purpose of the token.
  package let name: String
  /// When it was issued.
  package let createdAt: Date
  /// When it ends.
  package let expiresAt: Date
}

/// A new token; it cannot be read again later.
package struct IssuedToken: Sendable {
  /// The stored facts.
  package let listing: TokenListing
  /// The bearer token.
  package let token: Secret<String>
}

/// The form of tokens: `pf_` and 256 random bits in base64url.
enum APIToken {
  static func make() -> String {
    var random = [UInt8](repeating: 0, count: 32)
    random.withUnsafeMutableBytes { Randomness.fill($0) }
    return "pf_\(Base64URL.encode(random))"
  }

  /// A token has 256 random bits, so neither a salt nor a slow hash would make it harder to guess.
  static func hash(_ token: String) -> String { SHA256.hex(Array(token.utf8)) }
}
