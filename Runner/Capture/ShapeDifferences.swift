package import Manifest
package import Postgres

/// The differences between the tables of a database, if its owner made them, and those that the bundle's migrations
/// make.
package struct ShapeDifferences<Database: SQLExecutor> {
  private let database: Database
  private let shape: SchemaShape
  /// Tables to which functions write whole rows.
  private let written: [String]
  /// Columns of the app's tables that are in the rows that functions insert there.
  private let inserted: [AppWrite]
  /// Columns of the app's tables that functions write.
  private let single: [String]
  private let spare: [SpareColumn]
  /// Tables that stay as an app has made them.
  private let kept: [String]
  /// Columns into which functions write values of an enum.
  private let enums: [String]
  /// Columns of JSON that may be of texts.
  private let json: [String]

  /// - Throws: `MigrationError` where the migrations cannot be read.
  package init(from manifest: Manifest, in database: Database) async throws {
    self.database = database
    let migrations = try await SchemaMigration.all(of: manifest)
    shape = SchemaShape(of: migrations).leaving(try await Namesakes(of: migrations, in: database).leftAlone)
    kept = migrations.flatMap(\.kept)
    enums = migrations.flatMap(\.enums)
    json = migrations.flatMap(\.json)
    written = shape.written(by: manifest)
    inserted = manifest.appWrites.filter { $0.operation == .insert }
    single = manifest.appWrites.flatMap { write in write.columns.map { "\(write.table).\($0)" } }
    spare = manifest.mayLack
  }

  /// A sentence for each column and index that is not as it has to be.
  package func lines() async throws(PostgresError) -> [String] {
    try await columns(besides: spare).map { difference in
      difference.line + (difference.mending.map { ": \($0)" } ?? "")
    } + unfilled() + keys()
  }

  /// A sentence for each column without which something does not work, and all else does.
  package func costs() async throws(PostgresError) -> [String] {
    let needed = spare.filter { $0.cost == nil }
    return try await columns(besides: needed).compactMap { name, line, mending in
      spare.first { $0.name == name }?.cost.map { cost in
        "\(line): \(cost) until \(mending.map { "it is: \($0)" } ?? "\(name) is there")"
      }
    }
  }

  /// A column that is not as it has to be, and the statement that makes it usable; `nil` where it is not there.
  private typealias Difference = (name: String, line: String, mending: String?)

  private func columns(besides spare: [SpareColumn]) async throws(PostgresError) -> [Difference] {
    let rows = try await database.query(
      """
      SELECT w.tab, w.col, w.rel IS NOT NULL AS has_table, format_type(a.atttypid, NULL) AS type,
        format_type(needs.oid, NULL) AS needed, pg_get_expr(d.adbin, d.adrelid) AS value,
        has.oid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) AS is_number
      FROM (\(shape.wanted)) AS w
      LEFT JOIN pg_attribute AS a ON a.attrelid = w.rel AND a.attname = w.col AND NOT a.attisdropped
      LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      LEFT JOIN pg_type AS has ON has.oid = a.atttypid
      JOIN pg_type AS needs ON needs.oid = to_regtype(w.type)
      WHERE (w.rel IS NOT NULL OR w.number = (SELECT min(f.number) FROM (\(shape.wanted)) AS f WHERE f.tab = w.tab))
        AND (w.rel IS NULL OR w.tab || '.' || w.col <> ALL (\(spare.map(\.name))))
        AND (has.oid = needs.oid OR has.typcategory = needs.typcategory AND needs.typcategory IN ('S', 'N')) IS NOT TRUE
        -- An enum is read as text.
        AND (has.typtype = 'e' AND needs.typcategory = 'S' AND w.tab <> ALL (\(written))
          AND w.tab || '.' || w.col <> ALL (\(single))) IS NOT TRUE
        AND (has.typcategory = 'E' AND needs.typcategory = 'S' AND w.tab || '.' || w.col = ANY (\(enums))) IS NOT TRUE
        AND (w.tab || '.' || w.col = ANY (\(json)) AND (has.oid = 'json'::regtype OR has.typcategory = 'S')) IS NOT TRUE
        -- What is written must fit into a table that an app has made, and nothing else is read.
        AND (a.attnum IS NULL OR w.tab <> ALL (\(kept)) OR w.col <> 'id' AND has.typcategory <> 'S' AND NOT EXISTS (
          SELECT FROM pg_cast AS x WHERE x.castsource = needs.oid AND x.casttarget = has.oid AND x.castcontext IN ('a', 'i')))
      ORDER BY w.number
      """)
    return try rows.map { row throws(PostgresError) -> Difference in
      let (table, name): (String, String) = (try row.decode("tab"), try row.decode("col"))
      let needed: String = try row.decode("needed")
      guard let type = row["type"] else {
        let hasTable: Bool = try row.decode("has_table")
        let line = hasTable ? "\(table) has no column \(name) (\(needed))" : "the table \(table) is missing"
        return ("\(table).\(name)", line, nil)
      }
      let column = UnfitColumn(
        table: table, column: name, type: type, needed: needed, isNumber: try row.decode("is_number"),
        isKey: name == "id", hasDefault: row["value"] != nil, keptDefault: row["value"])
      return ("\(table).\(name)", column.misfit, column.mending)
    }
  }

  /// Columns that a row has to have, of tables to which rows are written without them.
  private func unfilled() async throws(PostgresError) -> [String] {
    let columns = inserted.flatMap { write in write.columns.map { "\(write.table).\($0)" } }
    return try await database.query(
      """
      SELECT t.tab || '.' || a.attname || ' must not be NULL and has no default: rows that are written here leave it out; '
        || format('ALTER TABLE %s ALTER COLUMN %I ', t.tab, a.attname) || CASE
          WHEN y.typcategory = 'S' THEN 'SET DEFAULT ''''' WHEN y.typcategory = 'B' THEN 'SET DEFAULT false'
          WHEN y.typcategory = 'N' THEN 'SET DEFAULT 0' WHEN y.typname = 'uuid' THEN 'SET DEFAULT gen_random_uuid()'
          WHEN y.typcategory = 'D' THEN 'SET DEFAULT now()' ELSE 'DROP NOT NULL' END AS line
      FROM unnest(\(written + inserted.map(\.table))) AS t (tab)
      JOIN pg_attribute AS a ON a.attrelid = to_regclass(t.tab) AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull
      JOIN pg_type AS y ON y.oid = a.atttypid
      LEFT JOIN (\(shape.wanted)) AS w ON w.tab = t.tab AND w.col = a.attname
      WHERE NOT a.atthasdef AND a.attidentity = ''
        AND CASE WHEN t.tab = ANY (\(written)) THEN w.col IS NULL OR w.is_optional
          ELSE t.tab || '.' || a.attname <> ALL (\(columns)) END
        AND NOT EXISTS (
          SELECT FROM pg_trigger AS g JOIN pg_proc AS p ON p.oid = g.tgfoid
          WHERE g.tgrelid = a.attrelid AND NOT g.tgisinternal AND g.tgenabled IN ('O', 'A')
            AND p.prosrc ~* ('new[.]' || a.attname || ' *:='))
      ORDER BY 1
      """
    ).decode("line")
  }

  private func keys() async throws(PostgresError) -> [String] {
    let keys = written.filter { !kept.contains($0) }.flatMap { table in
      (shape.keys[table] ?? []).map { (table, $0.sorted().joined(separator: ", ")) }
    }
    let rows: SQL = .rows("k", ["tab": "\(keys.map(\.0))", "cols": "\(keys.map(\.1))"])
    return try await database.query(
      """
      SELECT k.tab || ' lacks a unique index on (' || k.cols || ')' AS line
      FROM \(rows)
      WHERE to_regclass(k.tab) IS NOT NULL AND NOT EXISTS (
        -- Rows of partitions may have no common key.
        SELECT FROM pg_class AS c WHERE c.oid = to_regclass(k.tab) AND c.relkind = 'p'
      ) AND NOT EXISTS (
        SELECT FROM pg_index AS i
        WHERE i.indrelid = to_regclass(k.tab) AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
          AND i.indexprs IS NULL AND k.cols = (
            SELECT string_agg(a.attname, ', ' ORDER BY a.attname COLLATE "C") FROM pg_attribute AS a
            WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])))
      ORDER BY 1
      """
    ).decode("line")
  }
}

extension SpareColumn {
  fileprivate var name: String { "\(table).\(column)" }
}
