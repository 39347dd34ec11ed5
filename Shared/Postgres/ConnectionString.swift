import CPostgres

/// What a session is opened with.
struct ConnectionString: Sendable {
  /// Keywords and values for `PQconnectdbParams`, of which a later one overrides an earlier one.
  let parameters: [(keyword: String, value: String)]

  /// Reads a `postgres://` URI or a `keyword=value` string.
  ///
  /// libpq's own complaint is withheld: it quotes what it could not read, and that may be the password.
  init(_ text: String, applicationName: String, connectTimeout: Duration) throws(PostgresError) {
    guard !text.containsNUL, let options = PQconninfoParse(text, nil) else {
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
  }

  /// What the text may override: a dead peer is noticed after 30 s, whether data is under way or not.
  private static func defaults(applicationName: String, connectTimeout: Duration) -> [(keyword: String, value: String)]
  {
    [
      ("fallback_application_name", applicationName),
      ("connect_timeout", "\(max(2, connectTimeout.components.seconds))"),
      ("keepalives_idle", "15"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
      ("tcp_user_timeout", "30000"),
    ]
  }
}
