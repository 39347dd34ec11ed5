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
  /// Whether this side says which lane the event is in.
  let isSubject: Bool
  /// Whether the columns are wanted that the two sides are compared by.
  let comparing: Bool
  /// Whether the rows are numbered.
  let placed: Bool

  /// A document of more bytes is too large for an event; the row is then known by its primary key alone.
  private static let limit = 1 << 20
  /// What is smaller, as it is stored, has grown to no document that PostgreSQL cannot make.
  private static let harmless = 1 << 16

  var sql: String {
    """
    (
          SELECT \(placed ? "row_number() OVER () AS place, " : "")CASE WHEN \(fits) THEN r.* END AS image\(exported)
          FROM (SELECT \(absent)) AS absent
          CROSS JOIN (SELECT \(row)) AS r
          CROSS JOIN LATERAL (
            SELECT \(size) AS size\(columns)
            FROM (SELECT r.*) AS present
          ) AS m
        ) AS \(image.alias)
    """
  }

  private var fits: String {
    if captured.hasJSON { return "m.size <= \(Self.limit) AND runner.is_document(r.*)" }
    if captured.sizedColumns.isEmpty { return "m.size <= \(Self.limit)" }
    return "m.size <= \(Self.harmless) OR m.size <= \(Self.limit) AND runner.is_document(r.*)"
  }

  /// Plans that name the table are made anew when it is altered, as those on transition tables are; for `NEW` and `OLD`
  /// alone nothing would tell.
  private var row: String {
    guard captured.isPartitioned else { return image == .new ? "* FROM new_rows" : "* FROM old_rows" }
    return "\(image == .new ? "NEW" : "OLD").* FROM (SELECT) AS one LEFT JOIN \(captured.name.sql) AS altered ON false"
  }

  private var compared: [String] { comparing ? subscription.columns : [] }

  private var absent: String {
    let value = comparing && image == .old ? "''" : "NULL"
    let names = Set(
      compared + [subscription.key].compactMap(\.self) + captured.primaryKey + captured.textColumns
        + captured.sizedColumns)
    return names.sorted().map { "\(value)::text AS \(quoted($0))" }.joined(separator: ", ")
  }

  /// The least number of bytes that the row's document can have, found out without reading what is stored out of line.
  private var size: String {
    (["0::bigint"] + captured.textColumns.map { "coalesce(octet_length(\(quoted($0))::text), 0)" }
      + captured.sizedColumns.map { "coalesce(pg_column_size(\(quoted($0))), 0)" }).joined(separator: " + ")
  }

  /// The lane is drawn by lot in the subquery, which therefore stays one: it is computed once for each row.
  private var exported: String {
    let function = literal(subscription.function)
    let lane = ", m.key, coalesce(runner.lane(\(function), m.key), floor(random() * 16)::smallint) AS lane"
    let names = captured.primaryKey.indices.map { ", m.key_\($0)" } + compared.indices.map { ", m.column_\($0)" }
    return (isSubject ? lane : "") + names.joined()
  }

  /// The compared ones as text, byte by byte: what a type or a collation takes for equal, or cannot compare at all, may
  /// still differ.
  private var columns: String {
    let key = subscription.key.map { "\(quoted($0))::text" } ?? "NULL::text"
    return ", \(key) AS key" + captured.primaryKey.enumerated().map { ", \(quoted($1)) AS key_\($0)" }.joined()
      + compared.enumerated().map { ", \(quoted($1))::text COLLATE \"C\" AS column_\($0)" }.joined()
  }
}
