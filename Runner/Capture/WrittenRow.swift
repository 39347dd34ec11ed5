import Manifest

/// A row that a function writes into a table, or a change that it makes there, as far as it says something.
struct WrittenRow: Equatable {
  let table: String
  /// The first of its columns, which tells the table's rows from each other.
  let key: String
  private(set) var values: [String: String] = [:]
  /// The value that is written in the place of those that a check of their column alone keeps out.
  private(set) var others: [String: String] = [:]
  /// Whether it changes rows that are there, whose other columns have values that nobody knows.
  let isChange: Bool
  /// The calls that do this, where nothing but calls does.
  let calls: [String]

  /// The changes, then the rows, of functions that `functions.json` names.
  ///
  /// Lines at the start of a migration say them: `-- Writes bills by pay, remind: kind 'paid' 'due', text 99 letters`. Of
  /// several values each makes a row, and so does a text of one letter; `'late'/'due'` is the second where a check of
  /// the column keeps out the first. Without functions it is a row of them all. `-- Changes bills by pay: paid 'true'`
  /// says what is changed in rows that are there.
  static func all(of migrations: [SchemaMigration], by manifest: Manifest) -> [WrittenRow] {
    ["-- Changes ", "-- Writes "].flatMap { start in
      migrations.flatMap { $0.lines(after: start) }.flatMap { line -> [WrittenRow] in
        let parts = line.split(separator: ": ", maxSplits: 1)
        let words = (parts.first ?? "").split { $0 == " " || $0 == "," }.map(String.init)
        guard parts.count == 2, let table = words.first else { return [] }
        let functions = manifest.functions.filter { words.dropFirst(2).contains($0.name) }
        guard words.count < 3 || !functions.isEmpty else { return [] }
        let calls = functions.compactMap(\.onlyCalls)
        return rows(
          of: table, parts[1], isChange: start == "-- Changes ",
          calls: calls.count == functions.count ? calls.flatMap(\.self) : [])
      }
    }
  }

  private static func rows(
    of table: String, _ text: Substring, isChange: Bool, calls: [String]
  ) -> [WrittenRow] {
    let columns = text.split(separator: ", ").map { $0.split(separator: " ") }
    let key = columns.first?.first.map(String.init) ?? ""
    var rows = [WrittenRow(table: table, key: key, isChange: isChange, calls: calls)]
    for words in columns {
      guard let column = words.first.map(String.init) else { continue }
      let values =
        words.last == "letters"
        ? [String(repeating: "x", count: Int(words[1]) ?? 0), "x"]
        : words.dropFirst().map { $0.filter { $0 != "'" } }
      rows = rows.flatMap { row in
        values.map { value in
          var row = row
          let choice = value.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
          row.values[column] = choice.first
          if choice.count > 1 { row.others[column] = choice[1] }
          return row
        }
      }
    }
    return rows
  }
}
