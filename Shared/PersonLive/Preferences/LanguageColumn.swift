import Locales
import Postgres

/// The column `language` of the table with an app's preferences, which an app may have made itself.
struct LanguageColumn {
  /// The column's type as `format_type` says it, which quotes names.
  private let type: String
  /// Whether it holds texts, and takes one without a cast: a cast would cut off what is too long.
  private let isText: Bool
  /// How many letters it takes, if that is limited.
  private let limit: Int?
  private let isRequired: Bool
  /// The values of an enum; `nil` for another type.
  private let values: [String]?

  init(of table: String, in connection: Connection) async throws(PostgresError) {
    let row = try await connection.query(
      """
      SELECT format_type(c.atttypid, NULL) AS type, y.typcategory = 'S' AS is_text,
        nullif(greatest(c.atttypmod, y.typtypmod), -1) - 4 AS most,
        c.attnotnull OR y.typnotnull AS is_required,
        (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e
          WHERE e.enumtypid = coalesce(nullif(y.typbasetype, 0), y.oid)) AS values
      FROM pg_attribute c JOIN pg_type y ON y.oid = c.atttypid
      WHERE c.attrelid = \(table)::regclass AND c.attname = 'language'
      """
    ).first
    type = try row?.decode("type") ?? "text"
    isText = try row?.decode("is_text") ?? true
    limit = try row?.optional("most")
    isRequired = try row?.decode("is_required") ?? false
    values = try row?.optional("values")
  }

  /// The column with a tag, or with none.
  ///
  /// It keeps the language alone where it takes no longer tag, and an empty text for none where there must be one. An
  /// enum gets the nearest of its values.
  /// - Throws: a sentence with the values of an enum that lacks the language.
  func assignment(of tag: String?) throws(RefusedChange) -> Assignment {
    let value: SQL = "\(try fitting(tag) as String?)::text"
    return Assignment(column: "language", value: isText ? value : "CAST(\(value) AS \(unescaped: type))")
  }

  private func fitting(_ tag: String?) throws(RefusedChange) -> String? {
    guard let tag else {
      if let values, isRequired, !values.contains("") { throw Self.refusal(of: values) }
      return isRequired ? "" : nil
    }
    if let values {
      let byTag = Dictionary(values.compactMap { value in LanguageTag(value).map { ($0.text, value) } }) { $1 }
      let nearest = LanguageTag(tag)?.nearest { byTag[$0] != nil }
      guard let value = nearest.flatMap({ byTag[$0] }) else { throw Self.refusal(of: values) }
      return value
    }
    return limit.map { tag.count > $0 } == true ? String(tag.prefix { $0 != "-" }) : tag
  }

  private static func refusal(of values: [String]) -> RefusedChange {
    RefusedChange("language must be one of \(values.joined(separator: ", ")): the app's own column takes no other.")
  }
}
