import Manifest
import Postgres

/// A column of a table that an app has made itself, in a type that functions cannot use.
struct UnfitColumn: Equatable {
  let table: String
  let column: String
  /// Its type, and the one that it has to be of, in SQL.
  let type: String
  let needed: String
  /// Whether it has whole numbers, or texts that are no UUIDs.
  var isNumber = false
  /// The table and column that it refers to.
  var parent: (table: String, column: String)?
  /// Whether it names its row.
  var isKey = false
  var hasDefault = false
  /// The default that it gets again, in SQL.
  var keptDefault: String?
  /// The statements before the change of a column that others refer to: these get its type, too.
  var before = ""
  /// The statements after that change.
  var after = ""

  static func == (one: UnfitColumn, other: UnfitColumn) -> Bool { one.description == other.description }
}

extension UnfitColumn: CustomStringConvertible {
  var description: String { "\(misfit): \(mending)" }

  /// The sentence without the statement.
  var misfit: String { "\(table).\(column) is \(type), and has to be \(needed)" }

  /// The statement that makes it usable.
  ///
  /// Numbers, and texts that are no UUIDs, stay beside them, under another name, with the keys that refer to them.
  var mending: String {
    let name = quoted(column)
    guard isNumber, needed == "uuid" else {
      let column = "ALTER COLUMN \(name)"
      if hasNoZone { return "ALTER TABLE \(table) \(column) TYPE \(needed) USING \(name) AT TIME ZONE 'UTC';" }
      // A default of another type is in the way.
      let newDefault = isKey && needed == "uuid" ? "gen_random_uuid()" : keptDefault.map { "(\($0))::text::\(needed)" }
      return """
        \(before)ALTER TABLE \(table) \(hasDefault ? "\(column) DROP DEFAULT, " : "")\(column) TYPE \(needed) \
        USING \(name)::text::\(needed)\(newDefault.map { ", \(column) SET DEFAULT \($0)" } ?? "");\(after)
        """
    }
    let number = quoted("serial_\(column)")
    let renaming = "ALTER TABLE \(table) RENAME COLUMN \(name) TO \(number); ALTER TABLE \(table)"
    if let parent {
      let (key, old) = (quoted(parent.column), quoted("serial_\(parent.column)"))
      return """
        \(renaming) ALTER COLUMN \(number) DROP NOT NULL, ADD COLUMN \(name) uuid REFERENCES \(parent.table) (\(key)) \
        ON DELETE CASCADE; UPDATE \(table) AS t SET \(name) = p.\(key) FROM \(parent.table) AS p WHERE p.\(old) = t.\(number);
        """
    }
    return isKey
      ? "\(renaming) ADD COLUMN \(name) uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE;"
      : "\(renaming) ALTER COLUMN \(number) DROP NOT NULL, ADD COLUMN \(name) uuid;"
  }

  /// Whether it has times without a zone, which are taken to be UTC's.
  private var hasNoZone: Bool { type == "timestamp without time zone" && needed == "timestamp with time zone" }
}

/// The columns of tables that apps have made themselves before the first migration and that it cannot use as they are.
struct UnfitColumns<Database: SQLExecutor> {
  private let database: Database
  private let shape: SchemaShape
  /// The tables into which functions write whole rows.
  private let written: [String]
  /// The columns of other tables that functions write.
  private let single: [String]
  /// The columns of other tables that nothing uses.
  private let unused: [String]
  /// The tables that stay as they are.
  private let kept: [String]
  /// The columns into which functions write values of an enum.
  private let enums: [String]
  /// The columns of JSON that may be of texts.
  private let json: [String]

  /// - Parameter migrations: the migrations of those folders from which none has run.
  init(of manifest: Manifest, _ migrations: [SchemaMigration], in database: Database) {
    self.database = database
    shape = SchemaShape(of: migrations.filter { $0.folder != SchemaMigration.ownFolder })
    written = shape.written(by: manifest)
    single = manifest.appWrites.flatMap { write in write.columns.map { "\(write.table).\($0)" } }
    unused = manifest.mayLack.filter { $0.cost == nil }.map { "\($0.table).\($0.column)" }
    kept = migrations.flatMap(\.kept)
    enums = migrations.flatMap(\.enums)
    json = migrations.flatMap(\.json)
  }

  /// Keys first, because others refer to them.
  func all(besides namesakes: Namesakes) async throws(PostgresError) -> [UnfitColumn] {
    let shape = shape.leaving(namesakes.all)
    guard !shape.tables.isEmpty else { return [] }
    let rows = try await database.query(
      """
      SELECT w.tab, w.col, format_type(a.atttypid, NULL) AS type, format_type(needs.oid, NULL) AS needed,
        a.atthasdef AS has_default, has.oid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) AS is_number,
        k.attname::text AS key, f.confrelid::regclass::text AS parent, w.col = 'id' OR i.indisprimary IS TRUE AS is_key,
        coalesce(r.before, '') AS before, coalesce(r.after, '') AS after
      FROM (\(shape.wanted)) AS w
      JOIN pg_class AS c ON c.relname = w.tab AND c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = w.col AND NOT a.attisdropped
      JOIN pg_type AS t ON t.oid = a.atttypid
      JOIN pg_type AS has ON has.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
      JOIN pg_type AS needs ON needs.oid = to_regtype(w.type)
      LEFT JOIN pg_constraint AS f ON f.conrelid = c.oid AND f.contype = 'f' AND f.conkey = ARRAY[a.attnum]
      LEFT JOIN pg_attribute AS k ON k.attrelid = f.confrelid AND f.confkey = ARRAY[k.attnum]
      LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum
      LEFT JOIN LATERAL (
        SELECT string_agg(format('ALTER TABLE %s DROP CONSTRAINT %I; ', o.conrelid::regclass, o.conname), ''
            ORDER BY o.oid) AS before,
          string_agg(format(' ALTER TABLE %s %sALTER COLUMN %3$I TYPE %4$s USING %3$I::text::%4$s, ADD CONSTRAINT %5$I %6$s;',
            o.conrelid::regclass, CASE WHEN b.atthasdef THEN format('ALTER COLUMN %I DROP DEFAULT, ', b.attname) END,
            b.attname, needs.typname, o.conname, pg_get_constraintdef(o.oid)), '' ORDER BY o.oid) AS after
        FROM pg_constraint AS o JOIN pg_attribute AS b ON b.attrelid = o.conrelid AND o.conkey = ARRAY[b.attnum]
        WHERE o.contype = 'f' AND o.conparentid = 0 AND o.confrelid = c.oid AND o.confkey = ARRAY[a.attnum]
      ) AS r ON true
      WHERE has.oid <> needs.oid AND CASE
        -- What is written must fit, and nothing else is read.
        WHEN w.tab = ANY (\(kept)) THEN w.col <> 'id' AND has.typcategory <> 'S' AND NOT EXISTS (
          SELECT FROM pg_cast AS x WHERE x.castsource = needs.oid AND x.casttarget = has.oid AND x.castcontext IN ('a', 'i'))
        WHEN w.tab || '.' || w.col = ANY (\(unused)) THEN false
        WHEN needs.oid = 'uuid'::regtype THEN true
        WHEN w.tab <> ALL (\(written)) AND w.tab || '.' || w.col <> ALL (\(single)) THEN false
        WHEN has.typtype = 'e' AND needs.typcategory = 'S' AND w.tab || '.' || w.col = ANY (\(enums)) THEN false
        WHEN w.tab || '.' || w.col = ANY (\(json)) AND (has.oid = 'json'::regtype OR has.typcategory = 'S') THEN false
        -- Times without a zone become times in UTC.
        WHEN has.typcategory = needs.typcategory AND needs.typcategory IN ('S', 'N', 'D') THEN false
        ELSE true
      END
      ORDER BY f.oid IS NOT NULL, w.col <> 'id', w.number
      """)
    var columns = try rows.map { row throws(PostgresError) in
      UnfitColumn(
        table: try row.decode("tab"), column: try row.decode("col"), type: try row.decode("type"),
        needed: try row.decode("needed"), isNumber: try row.decode("is_number"),
        parent: row["parent"].flatMap { parent in row["key"].map { (parent, $0) } }, isKey: try row.decode("is_key"),
        hasDefault: try row.decode("has_default"), before: try row.decode("before"), after: try row.decode("after"))
    }
    // A column has what its parent has.
    for index in columns.indices where columns[index].needed == "uuid" && !columns[index].isNumber {
      let column = columns[index]
      let isReferring = columns.contains { other in
        other.isNumber && column.parent.map { $0.table == other.table && $0.column == other.column } == true
      }
      columns[index].isNumber = isReferring ? true : try await hasOtherTexts(column)
    }
    return columns
  }

  /// Whether there are texts in it that are no UUIDs.
  private func hasOtherTexts(_ column: UnfitColumn) async throws(PostgresError) -> Bool {
    let may = try await database.query("SELECT has_table_privilege(\(column.table), 'SELECT') AS may").only()
    guard try may.decode("may", as: Bool.self) else { return true }
    return try await !database.query(
      """
      SELECT FROM \(identifier: column.table)
      WHERE \(identifier: column.column)::text !~* '^\\{?[0-9a-f]{4}(-?[0-9a-f]{4}){7}\\}?$' LIMIT 1
      """
    ).isEmpty
  }
}
