import CPostgres
import Glibc

/// The parameters that open a session.
struct ConnectionString: Sendable {
  /// Keywords and values for `PQconnectdbParams`; a later one overrides an earlier one.
  let parameters: [(keyword: String, value: String)]
  /// Whether a pooler in transaction mode is between: each transaction may run in another session of the server.
  let isPooled: Bool

  /// Reads a `postgres://` URI or a `keyword=value` string, which may also have `pgbouncer=true`.
  ///
  /// It hides libpq's own message, which quotes the part that it could not read: that may be the password.
  init(_ text: String, applicationName: String, connectTimeout: Duration) throws(PostgresError) {
    let (rest, isPooled) = Self.takingPooling(from: text)
    guard !text.containsNUL, let options = PQconninfoParse(rest, nil) else {
      throw PostgresError(.invalidURL, "The text is neither a postgres:// URI nor a keyword=value string.")
    }
    defer { PQconninfoFree(options) }

    var parameters = Self.defaults(applicationName: applicationName, connectTimeout: connectTimeout)
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        parameters.append((String(cString: keyword), String(cString: value)))
      }
      option += 1
    }
    self.parameters = parameters + [("client_encoding", "UTF8")]
    self.isPooled = isPooled
  }

  /// Lends keywords and values as libpq takes them.
  func withParameters<Answer>(
    _ body: (_ keywords: [UnsafePointer<CChar>?], _ values: [UnsafePointer<CChar>?]) -> Answer
  ) -> Answer {
    let keywords = parameters.map { strdup($0.keyword) } + [nil]
    let values = parameters.map { strdup($0.value) } + [nil]
    defer { (keywords + values).forEach { free($0) } }
    return body(keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) })
  }

  /// The same with another value.
  func with(_ keyword: String, _ value: String) -> ConnectionString {
    ConnectionString(parameters: parameters + [(keyword, value)], isPooled: isPooled)
  }

  private init(parameters: [(keyword: String, value: String)], isPooled: Bool) {
    (self.parameters, self.isPooled) = (parameters, isPooled)
  }

  /// The defaults that the text may override: a dead peer is noticed after 15 s, even if no data is being sent.
  private static func defaults(applicationName: String, connectTimeout: Duration) -> [(keyword: String, value: String)]
  {
    [
      ("fallback_application_name", applicationName),
      ("connect_timeout", "\(max(2, connectTimeout.components.seconds))"),
      ("keepalives_idle", "6"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "15000"),
    ]
  }

  /// Takes `pgbouncer=true` or `pgbouncer=false` out of a URI's query or a `keyword=value` string.
  ///
  /// libpq does not know the parameter. Prisma made it usual, and hosts of PostgreSQL write it into the URLs of their
  /// poolers.
  static func takingPooling(from text: String) -> (rest: String, isPooled: Bool) {
    let isURI = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    guard isURI else {
      let words = text.split(separator: " ", omittingEmptySubsequences: false)
      let rest = words.filter { $0 != on && $0 != off }
      return rest.count == words.count ? (text, false) : (rest.joined(separator: " "), words.contains { $0 == on })
    }
    guard let mark = text.lastIndex(of: "?") else { return (text, false) }
    let fields = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
    let rest = fields.filter { $0 != on && $0 != off }
    guard rest.count < fields.count else { return (text, false) }
    let query = rest.isEmpty ? "" : "?" + rest.joined(separator: "&")
    return (text[..<mark] + query, fields.contains { $0 == on })
  }

  private static var on: Substring { "pgbouncer=true" }
  private static var off: Substring { "pgbouncer=false" }
}
