package import Manifest
package import Postgres

/// Ways by which captured tables get rows and make no events, as far as the catalog shows them.
package enum CaptureGaps {
  /// Sentences; looks, and changes nothing.
  package static func lines(of manifest: Manifest, on database: some SQLExecutor) async throws -> [String] {
    let notified = manifest.functions.flatMap(\.triggers).compactMap { trigger -> TableName? in
      if case .notify(let notify) = trigger { notify.name } else { nil }
    }
    let tables = Set(manifest.subscriptions.keys).union(notified).sorted()
    let rows = try await database.query(
      """
      SELECT n.nspname::text AS schema, c.relname::text AS table, ARRAY(
          SELECT i.inhrelid::regclass::text FROM pg_inherits AS i JOIN pg_class AS k ON k.oid = i.inhrelid
          WHERE i.inhparent = c.oid AND NOT k.relispartition ORDER BY 1) AS children,
        EXISTS (SELECT FROM pg_subscription_rel AS s
          WHERE s.srrelid = c.oid OR s.srrelid IN (SELECT relid FROM pg_partition_tree(c.oid))) AS replicated
      FROM unnest(\(tables.map(\.schema))::text[], \(tables.map(\.table))::text[]) AS t (schema, name)
        JOIN pg_namespace AS n ON n.nspname = t.schema
        JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = t.name
      ORDER BY 1, 2
      """)
    return try rows.flatMap { row in
      let table = TableName(schema: try row.decode("schema"), table: try row.decode("table"))
      let children: [String] = try row.decode("children")
      var lines: [String] = []
      if !children.isEmpty {
        lines.append(
          "\(children.joined(separator: ", ")) inherits from \(table): rows that are written there directly make no events of \(table)."
        )
      }
      if try row.decode("replicated") {
        lines.append("A subscription writes to \(table): rows that come by logical replication make no events.")
      }
      return lines
    }
  }
}
