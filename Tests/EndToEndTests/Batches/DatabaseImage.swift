import FunctionKit
import Postgres

/// All rows of the apps' tables, with names in place of the ids that functions make.
struct DatabaseImage {
  /// The rows of each table as JSON, sorted.
  private let tables: [String: [String]]

  init(_ database: Connection) async throws {
    let names = try await Self.names(database)
    // A mark of an entry only says that it is looked at again: several mean the same as one.
    var tables: [String: [String]] = [:]
    let query: SQL = """
      SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname <> 'stale_entries'
      ORDER BY relname
      """
    for table in try await database.query(query).decode("relname", as: String.self) {
      let rows: [String] = try await database.query(
        "SELECT (\(Self.columns(of: table)))::text AS row FROM \(identifier: table) t"
      ).decode("row")
      tables[table] = rows.map { Self.naming($0, names) }.sorted()
    }
    // Of entries of the same moment, the inbox shows the later one first.
    let inboxes: [String] = try await database.query(
      """
      SELECT jsonb_build_object('user_id', user_id, 'entries', string_agg(id::text, ' ' ORDER BY created_at, id))::text
        AS row
      FROM notifications WHERE type NOT IN ('badge', 'vote_count') GROUP BY user_id
      """
    ).decode("row")
    tables["(order of entries)"] = inboxes.map { Self.naming($0, names) }.sorted()
    self.tables = tables
  }

  /// How many rows a table has.
  func count(_ table: String) -> Int { tables[table]?.count ?? 0 }

  /// How many rows of a table contain a text.
  func count(_ table: String, containing text: String) -> Int { tables[table]?.count { $0.contains(text) } ?? 0 }

  /// The rows that differ, with the columns in which they do; `self` was made one at a time.
  func differences(from batches: DatabaseImage) -> [String] {
    Set(tables.keys).union(batches.tables.keys).sorted().flatMap { table in
      let (one, other) = (tables[table] ?? [], batches.tables[table] ?? [])
      let found = RowDifferences(of: Self.rest(one, without: other), Self.rest(other, without: one)).texts
      return found.prefix(5).map { "\(table): \($0)" }
        + (found.count > 5 ? ["\(table): … and \(found.count - 5) more"] : [])
    }
  }

  /// The rows of one list that another does not have as often.
  private static func rest(_ rows: [String], without others: [String]) -> [String] {
    var counts = Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
    return rows.filter { row in
      guard let count = counts[row], count > 0 else { return true }
      counts[row] = count - 1
      return false
    }
  }

  private static func columns(of table: String) -> SQL {
    switch table {
    // Its text need not be the same as long as it says the same.
    case "handled_events": "to_jsonb(t) || jsonb_build_object('result', t.result::jsonb)"
    // The trigger that makes the rows takes the machine's time.
    case "badge_losses": "to_jsonb(t) - 'id' - 'created_at'"
    default: "to_jsonb(t)"
    }
  }

  /// A name for each id that a function has made, by what does not change from run to run.
  private static func names(_ database: Connection) async throws -> [String: String] {
    let rows = try await database.query(
      """
      WITH n AS (
        SELECT n.id, concat_ws(' ', n.type, 'of', n.function, n.source, n.source_event_id, 'on', n.subject_id, 'to',
          n.user_id, n.app, n.created_at, (
            SELECT string_agg(d.device_token_id::text, ' ' ORDER BY d.device_token_id) FROM deliveries d
            WHERE d.notification_id = n.id)) AS name
        FROM notifications n WHERE n.origin = 'function' AND n.function IS DISTINCT FROM 'earlier'
      )
      SELECT id::text, name FROM n
      UNION ALL
      SELECT d.id::text, concat_ws(' ', 'delivery to', d.device_token_id, 'of', coalesce(n.name, d.notification_id::text))
      FROM deliveries d LEFT JOIN n ON n.id = d.notification_id
      ORDER BY name, id
      """)
    var counts: [String: Int] = [:]
    var names: [String: String] = [:]
    for row in rows {
      let (id, name): (String, String) = (try row.decode("id"), try row.decode("name"))
      counts[name, default: 0] += 1
      names[id] = "‹\(name) #\(counts[name] ?? 0)›"
    }
    return names
  }

  /// A text with names in place of ids.
  private static func naming(_ text: String, _ names: [String: String]) -> String {
    let bytes = Array(text.utf8)
    let dash = UInt8(ascii: "-")
    var (result, kept, place) = ([UInt8](), 0, 8)
    while place + 28 <= bytes.count {
      if bytes[place] == dash, bytes[place + 5] == dash, bytes[place + 10] == dash, bytes[place + 15] == dash,
        let name = names[String(decoding: bytes[place - 8..<place + 28], as: UTF8.self)]
      {
        result += bytes[kept..<place - 8] + Array(name.utf8)
        kept = place + 28
        place = kept + 8
      } else {
        place += 1
      }
    }
    return String(decoding: result + bytes[kept...], as: UTF8.self)
  }
}
