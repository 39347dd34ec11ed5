extension World {
  /// A row of a table, as SQL and as JSON.
  package struct Row: Sendable {
    package typealias Columns = KeyValuePairs<String, String?>

    let table: String
    private var columns: [Column]

    private struct Column: Sendable {
      let name: String
      var value: String?
      let isText: Bool

      var sql: String { value.map { "'\($0.replacing("'", with: "''"))'" } ?? "NULL" }
      var json: String { value.map { isText ? "\"\($0)\"" : $0 } ?? "null" }
    }

    /// - Parameter literals: columns that are not text in JSON.
    package init(_ table: String, _ texts: Columns, _ literals: Columns = [:]) {
      self.table = table
      columns =
        texts.map { Column(name: $0, value: $1, isText: true) }
        + literals.map { Column(name: $0, value: $1, isText: false) }
    }

    /// The row with further columns.
    func with(_ texts: Columns) -> Row {
      var row = self
      row.columns += texts.map { Column(name: $0, value: $1, isText: true) }
      return row
    }

    subscript(_ name: String) -> String? { columns.first { $0.name == name }?.value }

    package var id: String { self["id"] ?? "" }

    var json: String { "{\(columns.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}" }

    package var insertion: String {
      let (names, values) = (columns.map(\.name), columns.map(\.sql))
      return "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
    }

    /// Inserts the row, or changes the one that has the same keys.
    func upsertion(on keys: String...) -> String {
      let changed = columns.map(\.name).filter { !(keys + ["id", "created_at"]).contains($0) }
      return """
        \(insertion) ON CONFLICT (\(keys.joined(separator: ", ")))
        DO UPDATE SET \(changed.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """
    }

    /// Changes columns that the row has, and returns the statement that does it.
    mutating func set(_ values: Columns) -> String {
      for (name, value) in values {
        for place in columns.indices where columns[place].name == name { columns[place].value = value }
      }
      let changes = columns.filter { column in values.contains { $0.key == column.name } }
      return """
        UPDATE \(table) SET \(changes.map { "\($0.name) = \($0.sql)" }.joined(separator: ", ")) WHERE id = '\(id)'
        """
    }
  }
}
