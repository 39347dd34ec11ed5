import FoundationEssentials
import FunctionKit
import Postgres

/// The rows of the app's tables that an event and its people lead to by foreign keys.
///
/// They are those that the ids in the event name, what these refer to, and what refers to these alone. Rows that came
/// after the decision are left out; all others are as they are now.
struct FixtureRows {
  /// The most rows of a table that refer to the others, the newest first, and the most of all.
  private static let (mostOfTable, most) = (500, 5_000)

  /// A foreign key of one column.
  private struct Link {
    let table: String
    let column: String
    let parent: String
    let key: String
    /// The type of the key.
    let type: String
    /// Whether the table says when its rows were made.
    let isTimed: Bool
  }

  private let database: Connection
  private let links: [Link]
  /// Where people stand: rows of it are taken for others that need them.
  private let people: String?
  private let event: String
  private let at: Date
  /// Each row by its text.
  private var rows: [String: [String: RawJSON]] = [:]

  init(_ database: Connection, event: String, at: Date, people: String?) async throws {
    (self.database, self.event, self.at, self.people) = (database, event, at, people)
    links = try await database.query(
      """
      SELECT t.relname::text AS "table", a.attname::text AS "column", p.relname::text AS parent,
        b.attname::text AS key, format_type(b.atttypid, NULL) AS type,
        EXISTS (SELECT FROM pg_attribute c WHERE c.attrelid = t.oid AND c.attname = 'created_at'
          AND c.atttypid IN ('timestamptz'::regtype, 'timestamp'::regtype)) AS is_timed
      FROM pg_constraint f
      JOIN pg_class t ON t.oid = f.conrelid AND t.relnamespace = to_regnamespace('public')
      JOIN pg_class p ON p.oid = f.confrelid AND p.relnamespace = to_regnamespace('public')
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = f.conkey[1]
      JOIN pg_attribute b ON b.attrelid = p.oid AND b.attnum = f.confkey[1]
      WHERE f.contype = 'f' AND cardinality(f.conkey) = 1 AND t.relispartition = false
      ORDER BY 1, 2, 3
      """
    ).map { row throws(PostgresError) in
      Link(
        table: try row.decode("table"), column: try row.decode("column"), parent: try row.decode("parent"),
        key: try row.decode("key"), type: try row.decode("type"), isTimed: try row.decode("is_timed"))
    }
  }

  /// What the schema itself says of texts: literals of constraints and defaults, and labels of enumerations.
  func words() async throws -> Set<String> {
    let rows = try await database.query(
      """
      SELECT lower(w.word[1]) AS word FROM (
        SELECT pg_get_constraintdef(c.oid) AS text FROM pg_constraint c
        WHERE c.contype = 'c' AND c.connamespace = to_regnamespace('public')
        UNION ALL
        SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d
        JOIN pg_class t ON t.oid = d.adrelid AND t.relnamespace = to_regnamespace('public')
      ) s, regexp_matches(s.text, '''([^'']+)''', 'g') w (word)
      UNION SELECT lower(e.enumlabel) FROM pg_enum e
      JOIN pg_type t ON t.oid = e.enumtypid AND t.typnamespace = to_regnamespace('public')
      """)
    return Set(rows.compactMap { $0["word"] })
  }

  /// All of them, by the names of their tables.
  ///
  /// - Parameter ids: what the event and its decisions name.
  mutating func collect(_ ids: [String]) async throws -> [(table: String, rows: [RawJSON])] {
    let keys = try await database.query(
      """
      SELECT t.relname::text AS "table", a.attname::text AS key FROM pg_index i
      JOIN pg_class t ON t.oid = i.indrelid AND t.relnamespace = to_regnamespace('public') AND NOT t.relispartition
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0] AND a.atttypid = 'uuid'::regtype
      WHERE i.indisprimary AND i.indnkeyatts = 1 ORDER BY 1
      """)
    for key in keys {
      let (table, column): (String, String) = (try key.decode("table"), try key.decode("key"))
      take(
        try await database.query(
          "SELECT to_jsonb(t)::text AS row FROM public.\(identifier: table) t WHERE t.\(identifier: column) = ANY (\(ids)::uuid[])"
        ), of: table)
    }
    try await takeParents(of: nil)
    let children = try await takeChildren(of: rows, by: links)
    if let people {
      // What became of the people's earlier notifications is about them, too.
      let own = Set(links.filter { $0.parent == people }.map(\.table))
      try await takeChildren(of: children.filter { own.contains($0.key) }, by: links.filter { $0.parent != people })
    }
    if let people { try await takeParents(of: people) }
    let count = rows.values.reduce(0) { $0 + $1.count }
    guard count <= Self.most else {
      throw FunctionError(.usage, "The event leads to \(count) rows: a test has \(Self.most) at most.")
    }
    return rows.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value.sorted { $0.key < $1.key }.map(\.value)) }
  }

  /// Takes what the rows refer to, and what that refers to.
  ///
  /// - Parameter table: takes rows of this one only.
  private mutating func takeParents(of table: String?) async throws {
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for link in links where table == nil || link.parent == table {
        let missing = values(of: link.column, in: link.table).subtracting(values(of: link.key, in: link.parent))
        guard !missing.isEmpty else { continue }
        isGrowing =
          take(try await find(missing, of: link.key, as: link.type, in: link.parent), of: link.parent) || isGrowing
      }
    }
  }

  /// Takes what refers to some rows, unless it refers to others that are missing, besides people.
  ///
  /// - Returns: the tables that have more rows than before.
  @discardableResult
  private mutating func takeChildren(
    of parents: [String: [String: RawJSON]], by chosen: [Link]
  ) async throws -> [String: [String: RawJSON]] {
    let before = rows.mapValues(\.count)
    for link in chosen {
      let keys = Set((parents[link.parent] ?? [:]).values.compactMap { Self.text($0[link.key]) })
      guard !keys.isEmpty else { continue }
      let own = links.filter { $0.table == link.table && $0.parent != people }
      let found = try await find(keys, of: link.column, as: link.type, in: link.table, isTimed: link.isTimed)
      let fitting = try found.map { try RawJSON(validating: Array(($0["row"] ?? "null").utf8)[...]) }.filter { row in
        own.allSatisfy { other in
          Self.text(row[other.column]).map { values(of: other.key, in: other.parent).contains($0) } ?? true
        }
      }
      for row in fitting { take(row, of: link.table) }
    }
    return rows.filter { before[$0.key] != $0.value.count }
  }

  private func find(
    _ keys: Set<String>, of column: String, as type: String, in table: String, isTimed: Bool = false
  ) async throws -> Rows {
    let time: SQL =
      isTimed ? "AND (t.created_at IS NULL OR t.created_at <= \(at)) ORDER BY t.created_at DESC NULLS LAST" : ""
    return try await database.query(
      """
      SELECT to_jsonb(t)::text AS row FROM public.\(identifier: table) t
      WHERE t.\(identifier: column) = ANY (\(keys.sorted())::text[]::\(unescaped: type)[]) \(time)
      LIMIT \(Self.mostOfTable)
      """)
  }

  private func values(of column: String, in table: String) -> Set<String> {
    Set((rows[table] ?? [:]).values.compactMap { Self.text($0[column]) })
  }

  private static func text(_ value: RawJSON?) -> String? {
    value.flatMap { $0.kind == .null ? nil : $0.stringValue ?? $0.printable }
  }

  @discardableResult
  private mutating func take(_ found: Rows, of table: String) -> Bool {
    found.map { row in
      (try? RawJSON(validating: Array((row["row"] ?? "null").utf8)[...])).map { take($0, of: table) } ?? false
    }
    .contains(true)
  }

  /// Takes a row, unless it came of the event.
  @discardableResult
  private mutating func take(_ row: RawJSON, of table: String) -> Bool {
    let isOfEvent = row.members.contains { member in
      member.value.stringValue.map { $0 == event || $0.hasPrefix("\(event)/") } ?? false
    }
    guard !isOfEvent else { return false }
    return rows[table, default: [:]].updateValue(row, forKey: row.printable) == nil
  }
}
