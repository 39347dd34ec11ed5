import FoundationEssentials
import FunctionKit
package import Notifications
package import Postgres
import StoreLive

/// A statement that writes preferences.
struct Writing {
  let statement: SQL
  /// The table that it writes, if that is an app's own.
  var ownTable: String?
}

/// A column with its new value.
struct Assignment {
  let column: String
  let value: SQL
  /// The new value in a row `t` that exists already; `nil` for the same.
  var update: SQL?

  /// The time of the change.
  static func time(_ now: Date) -> Assignment { Assignment(column: "updated_at", value: "\(now)") }

  /// No value for a boolean column, whatever its default is; `true` where it must have one.
  static func blank(_ column: String, of table: String) -> Assignment {
    Assignment(
      column: column,
      value: """
        (SELECT true FROM pg_attribute a
          WHERE a.attrelid = \(table)::regclass AND a.attname = \(column) AND a.attnotnull)
        """)
  }

  /// Members of `notification_settings.switches`; the other members stay.
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

extension Assignment {
  /// Members of `quiet_hours_days`; the other members stay, also in a column of texts or `json` that an app has made.
  static func quietDays(_ changes: [Weekday: (start: String, end: String)?]) -> Assignment {
    let set = Weekday.allCases.compactMap { day -> (String, RawJSON)? in
      (changes[day] ?? nil).map { hours in
        (day.rawValue, RawJSON(object: [("start", RawJSON(hours.start)), ("end", RawJSON(hours.end))]))
      }
    }
    let cleared = changes.filter { $0.value == nil }.map(\.key.rawValue).sorted()
    return Assignment(
      column: "quiet_hours_days", value: "\(String(decoding: RawJSON(object: set).bytes, as: UTF8.self))::jsonb",
      update: """
        (coalesce(nullif(t.quiet_hours_days::text, '')::jsonb, '{}') - \(cleared)) || excluded.quiet_hours_days::text::jsonb
        """)
  }
}

extension [Assignment] {
  /// Adds a column with its new value; `nil` leaves the column out, so that it keeps its value.
  mutating func set<Value: PostgresBindable>(_ column: String, _ value: Value?) {
    if let value { append(Assignment(column: column, value: "\(value)")) }
  }

  /// Adds a column whose text is cast to a type.
  mutating func set(_ column: String, _ value: String??, as type: StaticString) {
    if let value { append(Assignment(column: column, value: "\(value as String?)::\(unescaped: "\(type)")")) }
  }

  /// Adds columns with their values, in the order of their names.
  mutating func set(_ values: [String: Bool?]) {
    for (column, value) in values.sorted(by: { $0.key < $1.key }) { set(column, value as Bool??) }
  }
}

extension SQL {
  /// Writes columns of the row with these keys, and inserts the row if it is missing.
  ///
  /// Two concurrent writers do not undo each other's changes to other columns.
  /// - Parameters:
  ///   - others: columns that only a new row gets.
  ///   - source: `FROM …` with one row if the person may write, else with none.
  static func upsert(
    _ table: String, _ keys: [Assignment], _ values: [Assignment], inserting others: [Assignment] = [], _ source: SQL
  ) -> SQL {
    let columns = keys + values + others
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

  /// The boolean columns of a row as a JSON object; `NULL` ones are `null`.
  static func switches(_ columns: [String], of row: SQL) -> SQL {
    let members = columns.map { column -> SQL in "\(unescaped: "'\(column)'"), \(row).\(identifier: column)" }
    return "jsonb_build_object(\(list(members)))::text"
  }

  /// A person's switches for an app as a JSON object; uses the aliases of `PreferenceTable`.
  package static func switches(of app: App) -> SQL {
    guard app.profile.kinds.contains(where: { $0.preference.column != nil }) else { return "s.switches::text" }
    return switches(PersonalSwitch.all(of: app).map(\.key), of: app.profile.preferences.holder)
  }
}

extension GroupPreferences {
  /// Writes a person's preferences for a project or group; `nil` if nothing changes.
  ///
  /// - Parameter overrides: the switches that a new row leaves blank unless they are among the values. An app's own table
  ///   may have a default for them, which would count before the personal switch.
  func upsert(
    _ values: [Assignment], of user: SQL, in group: SQL, overrides: [Override] = [], at now: Date, _ source: SQL
  ) -> Writing? {
    guard !values.isEmpty else { return nil }
    let keys = [Assignment(column: "user_id", value: user), Assignment(column: column, value: group)]
    let set = values.map(\.column)
    let blank = overrides.map(\.column).filter { !set.contains($0) }.map { Assignment.blank($0, of: table) }
    return Writing(
      statement: .upsert(table, keys, values + [.time(now)], inserting: blank, source), ownTable: table)
  }
}

extension Row {
  /// The boolean members of a JSON object.
  func switches(_ column: String) -> [String: Bool] {
    var switches: [String: Bool] = [:]
    for member in RawJSON(trusting: Array((self[column] ?? "{}").utf8)).members where member.value.kind == .bool {
      switches[member.name] = member.value == RawJSON(true)
    }
    return switches
  }
}
