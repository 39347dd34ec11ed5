extension SQL {
  /// Rows of values, as a table: the name of each column stands beside its values, one for each row.
  ///
  /// - Parameter number: the name of a last column, which counts the rows from 1.
  package static func rows(
    _ alias: String, _ columns: KeyValuePairs<String, SQL>, numbered number: String? = nil
  ) -> SQL {
    let numbers: SQL = number == nil ? "" : " WITH ORDINALITY"
    let names = names(columns) + (number.map { [SQL(unescaped: $0)] } ?? [])
    return "unnest(\(list(columns.map(\.value))))\(numbers) AS \(unescaped: alias) (\(list(names)))"
  }

  /// The beginning of an insert: the name of each column stands beside what is selected for it.
  ///
  /// What follows is the query's FROM.
  package static func insert(into table: String, _ columns: KeyValuePairs<String, SQL>) -> SQL {
    "INSERT INTO \(unescaped: table) (\(list(names(columns)))) SELECT \(list(columns.map(\.value)))"
  }

  /// Inserts rows of values, with what is the same for all.
  package static func insert(
    into table: String, each columns: KeyValuePairs<String, SQL>, all constants: KeyValuePairs<String, SQL>
  ) -> SQL {
    """
    INSERT INTO \(unescaped: table) (\(list(names(columns) + names(constants))))
    SELECT \(list(names(columns) + constants.map(\.value))) FROM \(rows("i", columns))
    """
  }

  private static func names(_ columns: KeyValuePairs<String, SQL>) -> [SQL] {
    columns.map { SQL(unescaped: $0.key) }
  }

  private static func list(_ parts: [SQL]) -> SQL {
    var list = parts.first ?? ""
    for part in parts.dropFirst() { list += ", " + part }
    return list
  }
}
