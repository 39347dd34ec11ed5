extension RemovalScope {
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
