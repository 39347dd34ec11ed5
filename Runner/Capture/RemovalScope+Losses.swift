import Postgres

extension RemovalScope {
  /// A line for each of the bundle's tables and columns that goes and has something, with the number of rows, and for
  /// dead letters.
  ///
  /// A column counts the rows in which it says something else than its default. Other bundles lose their triggers and
  /// tables, too.
  func losses(besides bundle: String, on database: some SQLExecutor) async throws(PostgresError) -> [String] {
    let rows = try await query(
      """

      SELECT place, NULL AS col, NULL AS value FROM gone
      WHERE kind IN ('r', 'p', 'f') AND NOT relispartition AND (schema <> 'runner' OR name = 'dead_letters')
      UNION ALL
      SELECT k.place, c.name, coalesce(c.after::jsonb ->> 'default', 'NULL') FROM changes AS c JOIN kept AS k ON k.place = c.place
      JOIN pg_attribute AS a ON a.attrelid = k.oid AND quote_ident(a.attname) = c.name AND NOT a.attisdropped
      WHERE c.kind = 'column' AND c.before IS NULL
      ORDER BY 1, 2
      """)
    var lines: [String] = []
    if try await database.query("SELECT to_regclass('runner.triggers') IS NOT NULL AS yes").only().decode("yes") {
      let others: [String] = try await database.query(
        """
        SELECT DISTINCT to_jsonb(t) ->> 'bundle' AS name FROM runner.triggers AS t
        WHERE to_jsonb(t) ->> 'bundle' <> \(bundle) ORDER BY 1
        """
      ).decode("name")
      lines = others.map { "the triggers and tables of the bundle \($0)" }
    }
    for row in try await query("\nSELECT place, condition FROM foreign_rows ORDER BY place, condition") {
      let (place, condition): (String, String) = (try row.decode("place"), try row.decode("condition"))
      let number: Int = try await database.query(
        "SELECT count(*) AS number FROM \(unescaped: place) WHERE \(unescaped: condition)"
      ).only().decode("number")
      if number > 0 {
        let rows = number == 1 ? "row" : "rows"
        lines.append("\(place): \(number) \(rows) that only functions understand (\(condition))")
      }
    }
    // One look at each table, however many of its columns go.
    for (place, rows) in Dictionary(grouping: rows, by: { $0["place"] ?? "" }).sorted(by: { $0.key < $1.key }) {
      let names = rows.map { row in row["col"].map { "\(place).\($0)" } ?? place }
      let conditions = rows.map { row in
        row["col"].map { "\($0)::text IS DISTINCT FROM (\(row["value"] ?? "NULL"))::text" } ?? "true"
      }
      let counts = conditions.map { "count(*) FILTER (WHERE \($0))" }.joined(separator: ", ")
      let numbers: [Int] = try await database.query(
        "SELECT ARRAY[\(unescaped: counts)] AS numbers FROM \(unescaped: place)"
      ).only().decode("numbers")
      for (name, number) in zip(names, numbers) where number > 0 {
        lines.append("\(name): \(number) \(number == 1 ? "row" : "rows")")
      }
    }
    return lines
  }

  /// A line for each thing that stays although the migrations name it, or may have left something in it.
  func remains(but appTables: [String]) async throws(PostgresError) -> [String] {
    guard isMigrated else { return [] }
    let tables = try await query(
      """

      SELECT DISTINCT k.place, EXISTS (
        SELECT FROM changes AS c WHERE c.place = k.place AND c.kind = 'column' AND c.before IS NULL) AS shared
      FROM kept AS k JOIN columns AS l ON l.tab = k.name
      WHERE k.schema = current_schema() AND k.name <> ALL (\(appTables)) ORDER BY k.place
      """)
    let columns = try await query(
      """

      SELECT k.place, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS names
      FROM kept AS k JOIN columns AS l ON l.tab = k.name JOIN pg_attribute AS a ON a.attrelid = k.oid AND a.attname = l.col
      WHERE k.schema = current_schema() AND \(unescaped: Self.isOwn("a"))
        AND NOT EXISTS (SELECT FROM changes AS c WHERE c.kind = 'column' AND c.place = k.place AND c.name = quote_ident(a.attname))
      GROUP BY k.place ORDER BY k.place
      """)
    let roles: [String] = try await query(
      "\nSELECT rolname::text AS name FROM pg_roles WHERE rolname = ANY (\(Array(roles))) ORDER BY rolname"
    ).decode("name")
    let kept = try tables.map { row throws(PostgresError) in
      let place: String = try row.decode("place")
      let isShared: Bool = try row.decode("shared")
      return isWhole || isShared
        ? "\(place) was there before: it stays, with the rows that functions have written"
        : "\(place) may be the app's, so it stays: DROP TABLE \(place) where it is not"
    }
    return try kept
      + columns.map { row throws(PostgresError) in
        let place: String = try row.decode("place")
        return """
          \(place) keeps \(try row.decode("names") as String), which the migrations have made or changed: ALTER TABLE \
          \(place) DROP COLUMN where they are not the app's
          """
      } + roles.map { "the role \($0) stays, because other databases may use it: DROP ROLE \($0) where none does" }
  }
}
