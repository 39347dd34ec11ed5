import Postgres

/// A statement of `runner migrate --remove`.
struct RemovalStep: Sendable, Equatable {
  let sql: String
  /// Whether it ends that rows make events.
  let isTrigger: Bool
  /// Whether it puts back what was there before: rows that are there now may stand against it.
  let isRestoring: Bool
}

extension RemovalScope {
  /// The statements, in an order in which none of them needs `CASCADE`: what else hangs on something that goes, be it
  /// made a moment ago, ends it all.
  func steps() async throws(PostgresError) -> [RemovalStep] {
    let rows = try await query(
      """

      SELECT step, sql FROM (
        \(unescaped: Self.takingAway)
        UNION ALL \(unescaped: Self.puttingBack)
      ) AS s (step, sql) WHERE \(isMigrated) OR step = \(Self.indexes) ORDER BY step, sql
      """)
    return try rows.map { row throws(PostgresError) in
      let number: Int = try row.decode("step")
      return RemovalStep(
        sql: try row.decode("sql"), isTrigger: number == 1, isRestoring: number == 8 || number >= 20)
    }
  }

  /// The step that takes indexes away.
  private static var indexes: Int { 6 }

  /// Functions call each other, tables call functions and functions read tables: so what ties tables to functions goes
  /// first, then all functions at once, then all tables at once.
  private static var takingAway: String {
    """
    SELECT 1, format('DROP TRIGGER %I ON %s', t.tgname, r.place)
    FROM pg_trigger AS t JOIN routines AS f ON f.oid = t.tgfoid AND NOT f.abroad JOIN relations AS r ON r.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND t.tgparentid = 0
    UNION ALL
    -- Who may make a trigger on a table, as on Supabase's auth.users, need not own it; but only its owner may drop one.
    SELECT 1, format('DROP ROUTINE %s CASCADE', place) FROM routines WHERE abroad
    UNION ALL
    -- No trigger of ours makes anything of it any more, and the columns that tell these rows are still there.
    SELECT 2, format('DELETE FROM %s WHERE %s', place, condition) FROM foreign_rows
    UNION ALL
    -- A key that is checked at the end of the transaction would keep its table from being changed until then.
    SELECT 2, 'SET CONSTRAINTS ALL IMMEDIATE' WHERE EXISTS (SELECT FROM foreign_rows)
    UNION ALL
    SELECT 2, format('ALTER TABLE %s DETACH PARTITION %s', parent, place) FROM attached
    UNION ALL
    SELECT 3, format('DROP %sVIEW %s', CASE kind WHEN 'm' THEN 'MATERIALIZED ' ELSE '' END,
      string_agg(place, ', ' ORDER BY place))
    FROM gone WHERE kind IN ('v', 'm') GROUP BY kind
    UNION ALL
    -- One that lets nobody in but roles of ours may have been made later, by a function of ours.
    SELECT 4, format('DROP POLICY %I ON %s', p.polname, r.place)
    FROM pg_policy AS p JOIN relations AS r ON r.oid = p.polrelid
    WHERE EXISTS (SELECT FROM users AS u WHERE u.classid = 'pg_policy'::regclass AND u.objid = p.oid) AND (
        r.oid IN (SELECT oid FROM bound)
        OR r.name IN (SELECT tab FROM columns) AND p.polroles <@ ARRAY(SELECT oid FROM roles))
      OR EXISTS (SELECT FROM kept AS k JOIN changes AS c ON c.place = k.place
        WHERE k.oid = r.oid AND c.kind = 'policy' AND c.name = quote_ident(p.polname))
    UNION ALL
    SELECT 5, format('ALTER TABLE %s DROP CONSTRAINT %I', r.place, c.conname)
    FROM pg_constraint AS c JOIN relations AS r ON r.oid = c.conrelid LEFT JOIN kept AS k ON k.oid = r.oid
    WHERE c.conislocal AND c.contype IN ('c', 'f', 'p', 'u', 'x') AND (
      r.oid IN (SELECT oid FROM bound)
        AND EXISTS (SELECT FROM users AS u WHERE u.classid = 'pg_constraint'::regclass AND u.objid = c.oid)
      OR EXISTS (SELECT FROM changes AS h WHERE h.kind = 'constraint' AND h.place = k.place
        AND h.name = quote_ident(c.conname) AND h.after = pg_get_constraintdef(c.oid))
      OR k.oid IS NOT NULL AND c.contype = 'f' AND c.confrelid IN (SELECT oid FROM gone) AND \(isOwn("c")))
    UNION ALL
    SELECT \(indexes), format('DROP INDEX %I.%I', n.nspname, c.relname)
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN relations AS r ON r.oid = i.indrelid LEFT JOIN kept AS k ON k.oid = r.oid
    LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = 1
    WHERE (NOT c.relispartition OR r.oid IN (SELECT oid FROM attached))
      AND NOT EXISTS (SELECT FROM pg_constraint AS o WHERE o.conindid = c.oid AND o.contype IN ('p', 'u', 'x')) AND (
      r.oid IN (SELECT oid FROM bound)
        AND EXISTS (SELECT FROM users AS u WHERE u.classid = 'pg_class'::regclass AND u.objid = c.oid)
      OR EXISTS (SELECT FROM changes AS h WHERE h.kind = 'index' AND h.place = k.place AND h.before IS NULL
        AND h.name = format('%I.%I', n.nspname, c.relname))
      OR c.relname IN (SELECT name FROM early)
      OR k.oid IS NOT NULL AND c.relname = ANY (SELECT name FROM indexes) AND \(isOwn("a")))
    UNION ALL
    SELECT 7, format('ALTER TABLE %s %s', r.place, format(
      CASE a.attgenerated WHEN '' THEN 'ALTER COLUMN %I DROP DEFAULT' ELSE 'DROP COLUMN %I' END, a.attname))
    FROM users AS u JOIN pg_attrdef AS d ON u.classid = 'pg_attrdef'::regclass AND d.oid = u.objid
    JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum JOIN relations AS r ON r.oid = a.attrelid
    WHERE r.oid IN (SELECT oid FROM bound) OR EXISTS (
      SELECT FROM kept AS k JOIN changes AS c ON c.place = k.place WHERE k.oid = r.oid AND c.kind = 'column'
        AND c.name = quote_ident(a.attname)
        AND (c.before IS NULL OR c.after::jsonb ->> 'default' = pg_get_expr(d.adbin, d.adrelid)))
    UNION ALL
    SELECT 8, format('REVOKE %s ON %s FROM %s', split_part(c.name, ' TO ', 1), c.place, split_part(c.name, ' TO ', 2))
    FROM changes AS c LEFT JOIN kept AS k ON c.place = 'TABLE ' || k.place
    WHERE c.kind = 'right' AND c.before IS NULL AND (k.oid IS NOT NULL OR c.place NOT LIKE 'TABLE %')
    UNION ALL
    SELECT 9, format('DROP ROUTINE %s', string_agg(place, ', ' ORDER BY place)) FROM routines WHERE NOT abroad
    HAVING count(*) > 0
    UNION ALL
    SELECT 10, format('DROP %sTABLE %s', CASE WHEN kind = 'f' THEN 'FOREIGN ' ELSE '' END,
      string_agg(place, ', ' ORDER BY place))
    FROM gone WHERE kind IN ('r', 'p', 'f') AND NOT relispartition GROUP BY kind = 'f', CASE WHEN kind = 'f' THEN kind END
    UNION ALL
    SELECT 11, format('DROP SEQUENCE %s', string_agg(r.place, ', ' ORDER BY r.place)) FROM relations AS r
    WHERE r.kind = 'S' AND r.schema = 'runner' AND NOT EXISTS (
      SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = r.oid AND d.deptype IN ('a', 'i')
        AND d.refclassid = 'pg_class'::regclass)
    HAVING count(*) > 0
    UNION ALL
    SELECT 12, 'DROP SCHEMA runner' WHERE to_regnamespace('runner') IS NOT NULL
    UNION ALL
    SELECT 13, format('ALTER TABLE %s DROP COLUMN %s', c.place, c.name)
    FROM changes AS c JOIN kept AS k ON k.place = c.place
    JOIN pg_attribute AS a ON a.attrelid = k.oid AND quote_ident(a.attname) = c.name AND NOT a.attisdropped
    WHERE c.kind = 'column' AND c.before IS NULL
    UNION ALL
    SELECT 14, format('ALTER TABLE %s RENAME TO %I', place, name) FROM attached
    """
  }
}
