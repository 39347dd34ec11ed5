/// The shape that the apps' tables must have, as the migrations say.
///
/// It is read from their text, in which each column is a line.
public struct SchemaShape: Sendable {
  /// A column.
  public struct Column: Sendable, Equatable {
    /// Its name.
    public let name: String
    /// Its type in SQL.
    public let type: String
    /// Whether a row may be written that leaves it out.
    public let isOptional: Bool
  }

  /// The columns of each table.
  public private(set) var tables: [String: [Column]] = [:]
  /// The unique keys of each table: the names of columns.
  public private(set) var keys: [String: [[String]]] = [:]

  /// Tables that functions only read, except that they may write to columns; their rows are the apps'.
  public static let appTables: Set = [
    "users", "user_tokens", "projects", "project_members", "feedbacks", "comments", "votes", "groups", "group_members",
    "event_proposals", "proposal_options", "events", "event_conflicts", "friend_requests", "group_invites",
    "experiments",
  ]

  /// The shape that all migrations together make.
  public init(of migrations: [Migration] = Schema.migrations) {
    for migration in migrations {
      var table: String?
      for line in migration.sql.split(separator: "\n") {
        if line.hasPrefix(")") { table = nil }
        if let table { read(line, of: table) } else { table = readStatement(line) }
      }
    }
  }

  /// - Returns: the table that begins there.
  private mutating func readStatement(_ line: Substring) -> String? {
    let words = line.split(separator: " ").map(String.init)
    if line.hasPrefix("CREATE TABLE IF NOT EXISTS "), words.last == "(" { return words[5] }
    guard line.hasPrefix("ALTER TABLE "), words.count > 7 else { return nil }
    let change = words.dropFirst(3)
    if change.starts(with: ["ADD", "COLUMN", "IF", "NOT", "EXISTS"]) {
      add(change.dropFirst(5), to: words[2])
    } else if change.starts(with: ["ALTER", "COLUMN"]), words[6] == "TYPE" {
      tables[words[2]]?.removeAll { $0.name == words[5] }
      add([words[5]] + words[7...], to: words[2])
    } else if change.starts(with: ["DROP", "COLUMN", "IF", "EXISTS"]) {
      tables[words[2]]?.removeAll { $0.name == words[7].filter { $0 != ";" } }
    }
    return nil
  }

  private mutating func read(_ line: Substring, of table: String) {
    // An indented line continues the line before.
    guard line.hasPrefix("  "), !line.hasPrefix("   "), !line.hasPrefix("  --") else { return }
    var words = line.split(separator: " ").map(String.init)
    if words.first == "CONSTRAINT" { words.removeFirst(2) }
    if words.first == "UNIQUE" || words.starts(with: ["PRIMARY", "KEY"]) {
      let names = line.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
      keys[table, default: []].append(names.split(separator: ",").map { $0.filter { $0 != " " } })
    } else if let first = words.first, first.first?.isUppercase == false {
      add(words[...], to: table)
    }
  }

  private mutating func add(_ words: ArraySlice<String>, to table: String) {
    guard let name = words.first, words.count > 1, tables[table]?.contains(where: { $0.name == name }) != true else {
      return
    }
    let rest = words.dropFirst(2).joined(separator: " ")
    var type = String(words[words.startIndex + 1].prefix { $0 != "," && $0 != ";" })
    if type == "double" { type = "double precision" }
    let isKey = rest.contains("PRIMARY KEY")
    if isKey || rest.contains("UNIQUE") { keys[table, default: []].append([name]) }
    let isOptional = rest.contains("DEFAULT") || !(isKey || rest.contains("NOT NULL"))
    tables[table, default: []].append(Column(name: name, type: type, isOptional: isOptional))
  }
}
