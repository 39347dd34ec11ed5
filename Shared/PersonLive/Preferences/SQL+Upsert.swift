import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

/// A column and what it becomes.
struct Assignment {
  let column: String
  let value: SQL
  /// What it becomes in a row `t` that is there already; `nil` for the same.
  var update: SQL?

  /// The time of the change.
  static func time(_ now: Date) -> Assignment { Assignment(column: "updated_at", value: "\(now)") }

  /// Members of `notification_settings.switches`; the others stay.
  static func switches(_ changes: [String: Bool?]) -> Assignment {
    let set = RawJSON(
      object: changes.sorted { $0.key < $1.key }.compactMap { key, value in
        value.map { (key, RawJSON($0 as Bool)) }
      })
    let cleared = changes.filter { $0.value == nil }.map(\.key)
    return Assignment(
      column: "switches", value: "\(String(decoding: set.bytes, as: UTF8.self))::jsonb",
      update: "(t.switches - \(cleared)) || excluded.switches")
  }
}

extension [Assignment] {
  /// Adds a column that gets a value; `nil` leaves the column out, so that it keeps its own.
  mutating func set<Value: PostgresBindable>(_ column: String, _ value: Value?) {
    if let value { append(Assignment(column: column, value: "\(value)")) }
  }

  /// Adds a column of a type that a text is turned into.
  mutating func set(_ column: String, _ value: String??, as type: StaticString) {
    if let value { append(Assignment(column: column, value: "\(value as String?)::\(unescaped: "\(type)")")) }
  }

  /// Adds columns that get values, in the order of their names.
  mutating func set(_ values: [String: Bool?]) {
    for (column, value) in values.sorted(by: { $0.key < $1.key }) { set(column, value as Bool??) }
  }
}

extension SQL {
  /// Writes columns of the one row with these keys, and makes the row where there is none.
  ///
  /// Of two writers at once, neither undoes what the other wrote into other columns.
  /// - Parameter source: `FROM …` with one row where the person may write, and none where not.
  static func upsert(
    _ table: String, _ keys: [Assignment], _ values: [Assignment], _ source: SQL
  ) -> SQL {
    let columns = keys + values
    let updates = values.map { assignment -> SQL in
      let column: SQL = "\(identifier: assignment.column)"
      return "\(column) = \(assignment.update ?? "excluded.\(column)")"
    }
    return """
      INSERT INTO \(identifier: table) AS t (\(list(columns.map { "\(identifier: $0.column)" })))
      SELECT \(list(columns.map(\.value)))
      \(source)
      ON CONFLICT (\(list(keys.map { "\(identifier: $0.column)" }))) DO UPDATE SET \(list(updates))
      """
  }

  /// Fragments with commas between them.
  static func list(_ parts: [SQL]) -> SQL {
    parts.dropFirst().reduce(parts.first ?? "") { "\($0), \($1)" }
  }

  /// The boolean columns of a row as a JSON object; `NULL` ones are `null`.
  static func switches(_ columns: [String], of row: SQL) -> SQL {
    let members = columns.map { column -> SQL in "\(unescaped: "'\(column)'"), \(row).\(identifier: column)" }
    return "jsonb_build_object(\(list(members)))::text"
  }
}

extension Row {
  /// The members of a JSON object that are true or false.
  func switches(_ column: String) -> [String: Bool] {
    var switches: [String: Bool] = [:]
    for member in RawJSON(trusting: Array((self[column] ?? "{}").utf8)).members where member.value.kind == .bool {
      switches[member.name] = member.value == RawJSON(true)
    }
    return switches
  }
}
