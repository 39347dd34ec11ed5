import Postgres

/// The things that `runner migrate` has made of a database, and those that were there before or may have been.
///
/// `runner.changes` says it of databases that were migrated since that is kept. Of others the catalog says it: what was
/// made by the very transaction that recorded a migration was made by that migration. Of a database that was restored
/// from a dump it does not: then a table that may be the app's stays.
struct RemovalScope<Database: SQLExecutor> {
  /// Whether there is anything of the runner's or its bundle's.
  let isThere: Bool
  /// Whether there is more of it than indexes that were made before a migration that then failed.
  let isMigrated: Bool
  /// Whether everything that was ever migrated is in `runner.changes`.
  let isWhole: Bool
  /// The names of roles that the migrations may have made.
  let roles: Set<String>
  private let database: Database
  private let relations: SQL

  init(of migrations: [SchemaMigration], in database: Database) async throws(PostgresError) {
    self.database = database
    roles = Set(Self.names(after: ["CREATE", "ROLE"], in: migrations))
    let routines = SchemaRoutines(of: migrations).made
    let indexes = migrations.flatMap(LargeIndex.all)
    let row = try await database.query(
      """
      SELECT to_regclass('runner.migrations') IS NOT NULL AS is_recorded,
        EXISTS (SELECT FROM unnest(\(indexes.map(\.earlyName))) AS e (name) WHERE to_regclass(e.name) IS NOT NULL) AS is_early,
        to_regclass('runner.changes') IS NOT NULL AS is_kept,
        to_regnamespace('runner') IS NOT NULL OR EXISTS (
          SELECT FROM pg_proc WHERE pronamespace = to_regnamespace(current_schema()) AND proname = ANY (\(routines))) AS is_migrated
      """
    ).only()
    isMigrated = try row.decode("is_migrated")
    let isEarly: Bool = try row.decode("is_early")
    isThere = isMigrated || isEarly
    let isKept: Bool = try row.decode("is_kept")
    isWhole = isKept ? try await !database.query("SELECT FROM runner.changes WHERE kind = 'whole'").isEmpty : false
    let isRecorded: Bool = try row.decode("is_recorded")
    relations = Self.scope(
      changes: isKept ? "TABLE runner.changes" : Self.noChanges,
      own: isRecorded && !isWhole ? Self.transactions : "SELECT NULL::xid AS xmin, 0::bigint AS first, false AS began",
      isWhole: isWhole, roles: Array(roles), views: Self.views(of: migrations), routines: routines,
      shape: SchemaShape(of: migrations),
      added: Self.names(after: ["ADD", "COLUMN"], in: migrations), rows: migrations.flatMap(\.removed),
      indexes: indexes.map(\.name), early: indexes.map(\.earlyName))
  }

  /// Runs a query whose text goes on after the tables of ``scope``, each a name in `WITH`.
  func query(_ rest: SQL) async throws(PostgresError) -> Rows {
    try await database.query("WITH RECURSIVE \(relations)\(rest)")
  }

  /// Whether the transaction that recorded a migration has made a row of the catalog.
  ///
  /// One that restores a whole dump makes all tables before it fills any.
  static func isOwn(_ row: String) -> String {
    """
    EXISTS (SELECT FROM own AS o WHERE o.xmin = \(row).xmin AND (NOT o.began OR \(row).cmin::text::bigint > o.first))
    """
  }

  private static var noChanges: SQL {
    """
    SELECT '' AS kind, '' AS place, '' AS name, NULL::text AS before, NULL::text AS after, NULL::text AS former WHERE false
    """
  }

  /// The transactions that recorded migrations; `began` is the one that made the record's table.
  private static var transactions: SQL {
    """
    SELECT m.xmin, min(m.cmin::text::bigint) AS first, m.xmin = a.xmin AS began
    FROM runner.migrations AS m
    JOIN pg_attribute AS a ON a.attrelid = 'runner.migrations'::regclass AND a.attname = 'tableoid'
    GROUP BY m.xmin, a.xmin
    """
  }

  /// The names of views that the migrations make, each statement beginning a line.
  private static func views(of migrations: [SchemaMigration]) -> [String] {
    let starts = ["CREATE VIEW ", "CREATE OR REPLACE VIEW "]
    return migrations.flatMap(\.allLines).compactMap { line in
      starts.first(where: line.hasPrefix).map { String(line.dropFirst($0.count).prefix { $0 != " " }) }
    }
  }

  /// The things that statements of migrations name after two words, and after `IF NOT EXISTS`.
  private static func names(after start: [Substring], in migrations: [SchemaMigration]) -> [String] {
    let names = migrations.flatMap { migration in
      let words = migration.allWords().filter { !["IF", "NOT", "EXISTS"].contains($0) }
      return words.indices.dropFirst(2).filter { words[$0 - 2..<$0].elementsEqual(start) }.map { String(words[$0]) }
    }
    return Set(names).sorted()
  }

  /// - `gone`: the relations that go, partitions of theirs among them; `kept`: the tables that stay, with the name that
  ///   each has at the end; `attached`: those of them that are partitions of a table that goes.
  /// - `routines`: the functions that go. `abroad`: those of them that triggers on tables of other roles call. `users`:
  ///   what in the catalog needs one of the functions. `bound`: the tables from which everything goes that needs one. On
  ///   the app's other tables that is the app's own, unless `changes` says otherwise.
  /// - `foreign_rows`: the conditions of rows that go, of tables that stay and have all columns that the conditions name.
  /// - `columns`, `indexes` and `roles`: those that the migrations' text names. `early`: the names of indexes that were
  ///   made before their migration.
  private static func scope(
    changes: SQL, own: SQL, isWhole: Bool, roles: [String], views: [String], routines: [String], shape: SchemaShape,
    added: [String], rows: [RemovedRows], indexes: [String], early: [String]
  ) -> SQL {
    let columns = shape.tables.flatMap { table in table.value.map { (table.key, $0.name) } }
    return """
      columns AS MATERIALIZED (
        SELECT c.*, c.col = ANY (\(added)) AS added
        FROM \(.rows("c", ["tab": "\(columns.map(\.0))", "col": "\(columns.map(\.1))"]))
      ),
      indexes AS MATERIALIZED (SELECT unnest(\(indexes)) AS name), early AS MATERIALIZED (SELECT unnest(\(early)) AS name),
      roles AS MATERIALIZED (SELECT oid FROM pg_roles WHERE rolname = ANY (\(roles))),
      changes AS MATERIALIZED (\(changes)), own AS MATERIALIZED (\(own)), relations AS MATERIALIZED (
        SELECT c.oid, c.relkind AS kind, c.relispartition, c.relname AS name, n.nspname AS schema,
          format('%I.%I', n.nspname, c.relname) AS place, n.nspname = 'runner'
          OR EXISTS (SELECT FROM changes AS k
            WHERE k.kind = 'relation' AND k.before IS NULL AND k.place = format('%I.%I', n.nspname, c.relname))
          OR CASE WHEN a.attrelid IS NULL THEN \(unescaped: isOwn("c")) ELSE \(unescaped: isOwn("a")) END
          OR c.relkind = 'v' AND n.nspname = current_schema() AND c.relname = ANY (\(views)) AS made
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'tableoid'
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relpersistence <> 't'
          AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
      ), tree AS (
        SELECT r.oid FROM relations AS r WHERE r.made AND r.kind <> 'S' AND NOT r.relispartition
        UNION
        SELECT c.oid FROM tree AS t JOIN pg_partitioned_table AS p ON p.partrelid = t.oid
        JOIN pg_inherits AS i ON i.inhparent = t.oid JOIN relations AS c ON c.oid = i.inhrelid
        WHERE c.made OR p.partdefid <> c.oid
      ), gone AS MATERIALIZED (
        SELECT r.* FROM relations AS r JOIN tree AS t ON t.oid = r.oid
      ), stays AS MATERIALIZED (
        SELECT * FROM relations AS r WHERE r.kind IN ('r', 'p', 'f') AND r.oid NOT IN (SELECT oid FROM gone)
      ), attached AS MATERIALIZED (
        SELECT s.oid, s.place, g.place AS parent, g.schema, g.name
        FROM stays AS s JOIN pg_inherits AS i ON i.inhrelid = s.oid JOIN gone AS g ON g.oid = i.inhparent
      ), kept AS MATERIALIZED (
        SELECT s.*, coalesce(a.parent, s.place) AS final FROM stays AS s LEFT JOIN attached AS a ON a.oid = s.oid
      ), routines AS MATERIALIZED (
        SELECT p.oid, f.place, EXISTS (
          SELECT FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
          WHERE t.tgfoid = p.oid AND NOT t.tgisinternal AND NOT pg_has_role(c.relowner, 'USAGE')) AS abroad
        FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
        CROSS JOIN LATERAL (
          SELECT format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid))) AS f (place)
        LEFT JOIN changes AS k ON k.kind = 'function' AND k.place = f.place
        WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND k.before IS NULL AND (
          n.nspname = 'runner' OR k.place IS NOT NULL OR n.nspname = current_schema() AND p.proname = ANY (\(routines))
          OR \(unescaped: isOwn("p")))
      ), users AS MATERIALIZED (
        SELECT DISTINCT d.classid, d.objid FROM routines AS f
        JOIN pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = f.oid
      ), bound AS MATERIALIZED (
        SELECT oid FROM gone
        UNION
        SELECT k.oid FROM kept AS k JOIN relations AS r ON r.oid = coalesce(pg_partition_root(k.oid), k.oid)
        WHERE NOT \(isWhole) AND r.schema = current_schema() AND r.name IN (SELECT tab FROM columns)
      ), foreign_rows AS MATERIALIZED (
        SELECT k.place, w.condition FROM \(.rows("w", ["tab": "\(rows.map(\.table))", "condition": "\(rows.map(\.condition))"]))
        JOIN kept AS k ON k.name = w.tab AND k.schema = current_schema()
        WHERE NOT EXISTS (
          SELECT FROM columns AS l WHERE l.tab = w.tab AND w.condition ~ format('\\m%s\\M', l.col) AND NOT EXISTS (
            SELECT FROM pg_attribute AS a WHERE a.attrelid = k.oid AND a.attname = l.col AND NOT a.attisdropped))
      )
      """
  }

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

  /// The statements that put back what the migrations have changed, and nobody has changed since.
  static var puttingBack: String {
    """
    SELECT 20, format('ALTER INDEX %s RENAME TO %s', c.name, split_part(c.former, '.', 2))
    FROM changes AS c WHERE c.kind = 'index' AND c.former IS NOT NULL AND c.after IS NOT NULL
    UNION ALL
    SELECT 20 + x.place, format('ALTER TABLE %s ALTER COLUMN %s %s', p.final, p.col, x.change)
    FROM (
      SELECT k.final, c.name AS col, c.before::jsonb AS former, c.after::jsonb AS later, a.attnotnull AS needed,
        format_type(a.atttypid, a.atttypmod) AS type, pg_get_expr(d.adbin, d.adrelid) AS value
      FROM changes AS c JOIN kept AS k ON k.place = c.place
      JOIN pg_attribute AS a ON a.attrelid = k.oid AND quote_ident(a.attname) = c.name AND NOT a.attisdropped
      LEFT JOIN pg_attrdef AS d ON d.adrelid = k.oid AND d.adnum = a.attnum
      WHERE c.kind = 'column' AND c.before IS NOT NULL
    ) AS p CROSS JOIN LATERAL (
      SELECT 1, 'DROP DEFAULT' WHERE p.former ->> 'default' IS NULL AND p.later ->> 'default' = p.value
      UNION ALL
      SELECT 2, 'TYPE ' || (p.former ->> 'type')
      WHERE p.former ->> 'type' <> p.later ->> 'type' AND p.later ->> 'type' = p.type
      UNION ALL
      SELECT 3, 'SET DEFAULT ' || (p.former ->> 'default')
      WHERE p.former ->> 'default' IS DISTINCT FROM p.later ->> 'default'
        AND p.later ->> 'default' IS NOT DISTINCT FROM p.value
      UNION ALL
      SELECT 4, CASE p.former ->> 'needed' WHEN 'true' THEN 'SET' ELSE 'DROP' END || ' NOT NULL'
      WHERE p.former ->> 'needed' <> p.later ->> 'needed' AND (p.later ->> 'needed')::boolean = p.needed
    ) AS x (place, change)
    WHERE x.change IS NOT NULL
    UNION ALL
    SELECT 25, format('ALTER TABLE %s ADD CONSTRAINT %s %s', k.final, c.name, c.before)
    FROM changes AS c JOIN kept AS k ON k.place = c.place
    WHERE c.kind = 'constraint' AND c.before IS NOT NULL AND NOT EXISTS (
      SELECT FROM pg_constraint AS o WHERE o.conrelid = k.oid AND quote_ident(o.conname) = c.name
        AND pg_get_constraintdef(o.oid) IS DISTINCT FROM c.after)
    UNION ALL
    SELECT 26, c.before FROM changes AS c JOIN kept AS k ON k.place = c.place
    WHERE c.kind = 'index' AND c.after IS NULL
      AND NOT EXISTS (SELECT FROM pg_class AS o WHERE format('%s.%I', o.relnamespace::regnamespace, o.relname) = c.name)
    UNION ALL
    SELECT 27, format('CREATE POLICY %s ON %s %s', c.name, k.final, c.before)
    FROM changes AS c JOIN kept AS k ON k.place = c.place WHERE c.kind = 'policy' AND c.before IS NOT NULL
    UNION ALL
    SELECT 28, format('ALTER TABLE %s %s', k.final, c.before)
    FROM changes AS c JOIN kept AS k ON k.place = c.place WHERE c.kind = 'security'
    UNION ALL
    SELECT 29, format('ALTER TABLE %s %s (%s)', k.final, x.verb, x.settings)
    FROM changes AS c JOIN kept AS k ON k.place = c.place CROSS JOIN LATERAL (
      VALUES ('RESET', regexp_replace(c.after, '=[^,]*', '', 'g')), ('SET', c.before)
    ) AS x (verb, settings)
    WHERE c.kind = 'storage' AND x.settings <> ''
    UNION ALL
    SELECT 30, format('GRANT %s ON %s TO %s%s', split_part(c.name, ' TO ', 1), coalesce('TABLE ' || k.final, c.place),
      split_part(c.name, ' TO ', 2), c.before)
    FROM changes AS c LEFT JOIN kept AS k ON c.place = 'TABLE ' || k.place
    WHERE c.kind = 'right' AND c.before IS NOT NULL AND (k.oid IS NOT NULL OR c.place NOT LIKE 'TABLE %')
    UNION ALL
    -- To take a right on a table takes it on each of its columns, too.
    SELECT 30, format('GRANT %s (%I) ON TABLE %s TO %s%s', r.privilege_type, a.attname, k.final, g.name,
      CASE WHEN r.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM changes AS c JOIN kept AS k ON c.place = 'TABLE ' || k.place
    JOIN pg_attribute AS a ON a.attrelid = k.oid AND NOT a.attisdropped CROSS JOIN aclexplode(a.attacl) AS r
    CROSS JOIN LATERAL (
      SELECT CASE r.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r.grantee)) END) AS g (name)
    WHERE c.kind = 'right' AND c.before IS NULL AND c.name = format('%s TO %s', r.privilege_type, g.name)
      AND NOT EXISTS (
        SELECT FROM changes AS h WHERE h.kind = 'right' AND h.place = c.place AND h.before IS NULL
          AND h.name = format('%s (%I) TO %s', r.privilege_type, a.attname, g.name))
    UNION ALL
    SELECT 31, c.before FROM changes AS c WHERE c.kind = 'function' AND c.before IS NOT NULL
    UNION ALL
    -- Where nothing says how a table was before: it stays open to those who may read and write it.
    SELECT 40, format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', k.final)
    FROM kept AS k JOIN pg_class AS c ON c.oid = k.oid AND c.relrowsecurity
    WHERE NOT EXISTS (SELECT FROM changes AS w WHERE w.kind = 'whole') AND k.oid IN (SELECT oid FROM bound)
      AND NOT EXISTS (SELECT FROM changes AS h WHERE h.kind = 'security' AND h.place = k.place)
      AND EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = k.oid) AND NOT EXISTS (
        SELECT FROM pg_policy AS p WHERE p.polrelid = k.oid AND NOT EXISTS (
          SELECT FROM users AS u WHERE u.classid = 'pg_policy'::regclass AND u.objid = p.oid))
    UNION ALL
    -- A column of ours that a trigger has filled keeps no row out.
    SELECT 41, format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', k.final, a.attname)
    FROM kept AS k JOIN columns AS l ON l.tab = k.name AND l.added
    JOIN pg_attribute AS a ON a.attrelid = k.oid AND a.attname = l.col AND a.attnotnull AND NOT a.atthasdef
    WHERE \(isOwn("a")) AND NOT EXISTS (SELECT FROM changes AS h WHERE h.kind = 'column' AND h.place = k.place)
      AND NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = k.oid AND i.indisprimary AND a.attnum = ANY (i.indkey))
    """
  }
}
