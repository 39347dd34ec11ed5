extension ConnectionString {
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
