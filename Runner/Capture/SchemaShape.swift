import Manifest
import Postgres

/// The shape that tables must have, as migrations say.
///
/// It is read from their text, in which each column is a line.
struct SchemaShape: Sendable {
  struct Column: Sendable, Equatable {
    let name: String
    /// Its type in SQL.
    let type: String
    let hasDefault: Bool
    /// Whether a row may be written that leaves it out.
    let isOptional: Bool
  }

  /// The columns of each table.
  private(set) var tables: [String: [Column]] = [:]
  /// The columns that tables get which may be there, each as `bills.paid_by`.
  private(set) var added: Set<String> = []
  /// The unique keys of each table: the names of columns.
  private(set) var keys: [String: [[String]]] = [:]

  /// Each column as a row: its table `tab` and that table's `rel`, `col`, its `type`, and whether rows are written that
  /// leave it out (`is_optional`).
  var wanted: SQL {
    let columns = tables.sorted { $0.key < $1.key }.flatMap { table, columns in
      columns.map { (table: table, column: $0) }
    }
    let rows: SQL = .rows(
      "w",
      [
        "tab": "\(columns.map(\.table))", "col": "\(columns.map(\.column.name))",
        "type": "\(columns.map(\.column.type))", "is_optional": "\(columns.map(\.column.isOptional))",
      ], numbered: "number")
    return "SELECT w.*, to_regclass(w.tab)::oid AS rel FROM \(rows)"
  }

  /// The words that may follow a column's type.
  private static let afterType: Set = [
    "NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "REFERENCES", "CHECK", "GENERATED", "CONSTRAINT", "COLLATE",
  ]

  /// The shape that all migrations together make.
  init(of migrations: [SchemaMigration]) {
    for migration in migrations {
      var open: Statement?
      for text in migration.allLines {
        // Most lines are of functions.
        if open == nil, !text.hasPrefix("CREATE TABLE "), !text.hasPrefix("ALTER TABLE ") { continue }
        let line = text.parts(at: " --")?.before ?? text
        switch open {
        case nil: open = readStatement(line)
        case .creation(let table):
          if line.hasPrefix(")") { open = nil } else { read(line, of: table) }
        case .change(let table):
          if line.hasPrefix("  ") { readChange(line, of: table) }
          if line.hasSuffix(";") { open = nil }
        }
      }
    }
  }

  /// A statement of several lines, of a table.
  private enum Statement {
    case creation(String)
    case change(String)
  }

  /// The same without tables that an app has made for something else.
  func leaving(_ tables: [String]) -> SchemaShape {
    var shape = self
    for table in tables { shape.tables[table] = nil }
    return shape
  }

  /// The tables to which functions write whole rows.
  func written(by manifest: Manifest) -> [String] {
    tables.keys.filter { !manifest.appTables.contains($0) }.sorted()
  }

  /// - Returns: the statement that begins there and goes on.
  private mutating func readStatement(_ line: Substring) -> Statement? {
    let words = line.words
    if line.hasPrefix("CREATE TABLE IF NOT EXISTS "), words.last == "(" { return .creation(words[5]) }
    guard line.hasPrefix("ALTER TABLE "), words.count > 2 else { return nil }
    guard words.count > 3 else { return .change(words[2]) }
    readChange(words.dropFirst(3).joined(separator: " ")[...], of: words[2])
    return nil
  }

  private mutating func readChange(_ line: Substring, of table: String) {
    let words = line.words
    if words.starts(with: ["ADD", "COLUMN", "IF", "NOT", "EXISTS"]) {
      add(words.dropFirst(5), to: table)
      added.insert("\(table).\(words.count > 5 ? words[5] : "")")
    } else if words.starts(with: ["ALTER", "COLUMN"]), words.count > 4, words[3] == "TYPE" {
      tables[table]?.removeAll { $0.name == words[2] }
      add([words[2]] + words[4...], to: table)
    } else if words.starts(with: ["DROP", "COLUMN", "IF", "EXISTS"]), words.count > 4 {
      tables[table]?.removeAll { $0.name == words[4].filter { $0 != ";" && $0 != "," } }
    }
  }

  private mutating func read(_ line: Substring, of table: String) {
    // An indented line continues the line before.
    guard line.hasPrefix("  "), !line.hasPrefix("   "), !line.hasPrefix("  --") else { return }
    var words = line.words
    if words.first == "CONSTRAINT" { words = Array(words.dropFirst(2)) }
    if words.first == "UNIQUE" || words.starts(with: ["PRIMARY", "KEY"]) {
      let names = line.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
      keys[table, default: []].append(names.split(separator: ",").map { $0.filter { $0 != " " } })
    } else if let first = words.first, first.first?.isUppercase == false {
      add(words[...], to: table)
    }
  }

  private mutating func add(_ words: ArraySlice<String>, to table: String) {
    guard let name = words.first?.filter({ $0 != "\"" }), words.count > 1,
      tables[table]?.contains(where: { $0.name == name }) != true
    else { return }
    // The word may be the column's last: `token text UNIQUE,`.
    let typeWords = words.dropFirst().prefix { !Self.afterType.contains($0.filter { $0 != "," && $0 != ";" }) }
    let rest = words.dropFirst(1 + typeWords.count).joined(separator: " ")[...]
    var type = typeWords.joined(separator: " ")
    while type.hasSuffix(",") || type.hasSuffix(";") { type.removeLast() }
    let isKey = rest.holds("PRIMARY KEY")
    if isKey || rest.holds("UNIQUE") { keys[table, default: []].append([name]) }
    let hasDefault = rest.holds("DEFAULT")
    let isOptional = hasDefault || rest.holds("GENERATED") || !(isKey || rest.holds("NOT NULL"))
    tables[table, default: []].append(
      Column(name: name, type: type, hasDefault: hasDefault, isOptional: isOptional))
  }
}
