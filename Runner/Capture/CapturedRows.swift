import Manifest

/// The rows of one side of a change, as a subquery that still works when the table's columns are others by then.
///
/// Every column that it names is named without a table: where the row has it no more, the name falls through to the
/// subquery `absent`. A key is then NULL, which means no order; a filter sees a change, because an event too many can be
/// dealt with and one that is missing cannot. All other columns come from the row as it is, new ones with it.
/// `runner migrate` then says what functions.json has to say instead.
struct CapturedRows {
  let captured: CapturedTable
  let subscription: Subscription
  let image: RowImage
  /// Whether this side says which partition the event is in.
  let isSubject: Bool
  /// Whether the columns are wanted that the two sides are compared by.
  let comparing: Bool
  /// Whether the rows are numbered.
  let placed: Bool

  /// A document of more bytes is too large for an event; the row is then known by its primary key alone.
  private static let limit = 1 << 20
  /// A row that is stored in fewer bytes makes no document that is too large for PostgreSQL.
  private static let harmless = 1 << 16

  var sql: String {
    """
    (
          SELECT \(placed ? Self.place : "")CASE WHEN \(fits) THEN r.* END AS image\(exported)
          FROM (SELECT \(absent)) AS absent
          CROSS JOIN \(row) AS r
          CROSS JOIN LATERAL (
            SELECT \(size) AS size\(columns)
            FROM (SELECT r.*) AS present
          ) AS m
        ) AS \(image.alias)
    """
  }

  private static let place = "pg_catalog.row_number() OVER () AS place, "

  private var fits: String {
    let isDocument = "m.size OPERATOR(pg_catalog.<=) \(Self.limit) AND runner.is_document(r.*)"
    if captured.hasJSON { return isDocument }
    if captured.sizedColumns.isEmpty { return "m.size OPERATOR(pg_catalog.<=) \(Self.limit)" }
    return "m.size OPERATOR(pg_catalog.<=) \(Self.harmless) OR \(isDocument)"
  }

  /// PostgreSQL makes plans again when a table that they name is altered, and so for transition tables; `NEW` and `OLD`
  /// alone name no table.
  private var row: String {
    guard captured.isPartitioned else { return image == .new ? "new_rows" : "old_rows" }
    let value = image == .new ? "NEW" : "OLD"
    return "(SELECT \(value).* FROM (SELECT) AS one LEFT JOIN \(captured.name.sql) AS altered ON false)"
  }

  private var compared: [String] { comparing ? subscription.columns : [] }

  private var filtered: [(column: String, value: String)] { isSubject ? subscription.filtered : [] }

  private var absent: String {
    let value = comparing && image == .old ? "''" : "NULL"
    let wanted = Dictionary(uniqueKeysWithValues: filtered.map { ($0.column, literal($0.value)) })
    let names = Set(
      compared + [subscription.key].compactMap(\.self) + captured.primaryKey + captured.textColumns
        + captured.sizedColumns + wanted.keys)
    return names.sorted().map { "\(wanted[$0] ?? value)::pg_catalog.text AS \(quoted($0))" }.joined(separator: ", ")
  }

  /// The least number of bytes that the row's document can have, found out without reading what is stored out of line.
  private var size: String {
    (["0::bigint"]
      + captured.textColumns.map { "coalesce(pg_catalog.octet_length(\(captured.text($0))), 0)" }
      + captured.sizedColumns.map { "coalesce(pg_catalog.pg_column_size(\(quoted($0))), 0)" })
      .joined(separator: " OPERATOR(pg_catalog.+) ")
  }

  /// `runner.random_partition()` is volatile, so the subquery stays one: the partition is computed once for each row.
  private var exported: String {
    let function = literal(subscription.function)
    let place = ", m.key, coalesce(runner.partition(\(function), m.key), runner.random_partition()) AS partition"
    let names =
      captured.primaryKey.indices.map { ", m.key_\($0)" } + compared.indices.map { ", m.column_\($0)" }
      + filtered.indices.map { ", m.filter_\($0)" }
    return (isSubject ? place : "") + names.joined()
  }

  /// The compared ones as text, byte by byte: what a type or a collation takes for equal, or cannot compare at all, may
  /// still differ.
  private var columns: String {
    let key = subscription.key.map(captured.text) ?? "NULL::pg_catalog.text"
    return ", \(key) AS key" + captured.primaryKey.enumerated().map { ", \(quoted($1)) AS key_\($0)" }.joined()
      + compared.enumerated().map { ", \(captured.text($1)) COLLATE pg_catalog.\"C\" AS column_\($0)" }.joined()
      + filtered.enumerated().map { ", \(captured.text($1.column)) COLLATE pg_catalog.\"C\" AS filter_\($0)" }.joined()
  }
}

extension CapturedTable {
  fileprivate func text(_ column: String) -> String {
    """
    CASE WHEN \(isPlain(column)) THEN \(quoted(column))::pg_catalog.text ELSE runner.text(\(quoted(column))) END
    """
  }

  /// A value as JSON; what is not plain takes a way round.
  package func document(_ value: String, isPlain: String) -> String {
    "CASE WHEN \(isPlain) THEN pg_catalog.to_jsonb(\(value)) ELSE runner.document(\(value)) END"
  }

  /// Whether nothing of the users' runs when a column, or any, is converted; known when the query is planned.
  package func isPlain(_ column: String? = nil) -> String {
    "runner.is_plain(\(([name.sql] + [column].compactMap(\.self)).map(literal).joined(separator: ", ")))"
  }
}
