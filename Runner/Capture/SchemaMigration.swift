import CSchema
package import Manifest
import System

/// Rows of a table that only functions understand.
struct RemovedRows {
  let table: String
  /// The condition of the rows, in SQL.
  let condition: String
}

/// One step of a schema: the statements of a file, which run in one transaction.
package struct SchemaMigration {
  /// The folder's name and the file's, by which the database knows it: `apps/1010_badges`.
  package var name: String
  package var sql: String

  /// Notes that it was run.
  package var record: String { "INSERT INTO runner.migrations (name) VALUES (\(literal(name)));" }

  /// Notes, after all have run, which earlier versions may go on; `nil` where none may.
  var compatibilityRecord: String? {
    switch compatibility {
    case .none: nil
    case .all: "UPDATE runner.migrations SET breaks_older = false WHERE name = \(literal(name));"
    case .since(let earlier):
      "UPDATE runner.migrations SET compatible_since = \(literal(earlier)) WHERE name = \(literal(name));"
    }
  }

  /// The folder's name.
  var folder: Substring { Self.folder(of: name) }

  static func folder(of name: String) -> Substring { name.prefix { $0 != "/" } }

  /// The tables that it takes as an app has made them: those that lines `-- Keeps: bills` at its start name.
  var kept: [String] { lines(after: "-- Keeps: ").flatMap(Self.words) }

  /// The columns for which functions choose one of an enum's values, where an app has made them of an enum: those that
  /// lines `-- Enums: bills.state` at its start name.
  var enums: [String] { lines(after: "-- Enums: ").flatMap(Self.words) }

  /// The columns of JSON that functions use also as text or `json`, where an app has made them so: those that lines
  /// `-- JSON: bills.items` at its start name.
  var json: [String] { lines(after: "-- JSON: ").flatMap(Self.words) }

  /// The columns by which it knows a table, as lines `-- Knows: bills by number, amount` at its start say.
  ///
  /// A table that an app has made without them is about something else.
  var known: [(table: String, columns: [String])] {
    lines(after: "-- Knows: ").map(Self.words).compactMap {
      $0.count > 2 && $0[1] == "by" ? ($0[0], Array($0[2...])) : nil
    }
  }

  /// The known tables that it leaves alone if they are about something else: lines `-- Leaves: bills` name them.
  var left: [String] { lines(after: "-- Leaves: ").flatMap(Self.words) }

  /// The rows that go with it although their table is the app's: those of lines `-- Removes from bills: paid_by = 'us'` at
  /// its start, each with the table and the condition.
  var removed: [RemovedRows] {
    lines(after: "-- Removes from ").compactMap { line in
      line.firstRange(of: ": ").map {
        RemovedRows(table: String(line[..<$0.lowerBound]), condition: String(line[$0.upperBound...]))
      }
    }
  }

  /// The texts that follow these words in the comments at its start.
  func lines(after start: String) -> [Substring] {
    var (lines, rest): ([Substring], Substring) = ([], sql[...])
    // The rest of the text is long, and is not looked at.
    while true {
      rest = rest.drop { $0 == "\n" }
      guard rest.hasPrefix("--") else { return lines }
      let line = rest.prefix { $0 != "\n" }
      if line.hasPrefix(start) { lines.append(line.dropFirst(start.count)) }
      rest = rest[line.endIndex...]
    }
  }

  private static func words(_ line: Substring) -> [String] {
    line.split { $0 == "," || $0 == " " }.map(String.init)
  }

  /// The lines of the text that are not empty.
  ///
  /// They end by the byte: to ask each of half a million characters costs a start tens of milliseconds.
  var allLines: [Substring] { sql.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) } }

  /// The words of the text, in their order: digits, letters, whatever is beyond ASCII, and the other characters.
  func allWords(with others: String = "_") -> [Substring] {
    let others = Array(others.utf8)
    return sql.utf8.split { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: false
      default: !others.contains(byte)
      }
    }.map { Substring($0) }
  }

  /// The runners that may go on beside a migration that they do not know.
  package enum Compatibility: Sendable, Equatable {
    case none
    case all
    /// Runners that know another migration of the folder, by its name in the database.
    case since(String)
  }

  /// The statement of the first line: `-- Compatible`, or `-- Compatible since 1023_wider_names` for a migration that
  /// takes away what versions from that one on no longer use.
  var compatibility: Compatibility {
    guard let line = sql.split(separator: "\n", maxSplits: 1).first, line.hasPrefix(Self.compatible) else {
      return .none
    }
    let words = line.dropFirst(Self.compatible.count).split(separator: " ")
    return words.first == "since" && words.count > 1 ? .since("\(folder)/\(words[1])") : .all
  }

  private static let compatible = "-- Compatible"

  private static let longest = 1 << 20

  /// Every migration: the runner's own first, because triggers of the bundle's tables call its functions.
  ///
  /// - Throws: `MigrationError` where a folder of `functions.json` cannot be read, or a file in it is no migration.
  package static func all(of manifest: Manifest) async throws(MigrationError) -> [SchemaMigration] {
    try await read(manifest)
  }

  @BlockingThread
  private static func read(_ manifest: Manifest) throws(MigrationError) -> [SchemaMigration] {
    var migrations = runner
    for folder in manifest.migrations { migrations += try all(in: folder) }
    return migrations
  }

  /// The migrations of a folder, by their numbers; files that do not end in `.sql` are no migrations.
  @BlockingThread
  private static func all(in folder: MigrationFolder) throws(MigrationError) -> [SchemaMigration] {
    let files = Folder.names(in: folder.path).filter { $0.hasSuffix(".sql") }.sorted()
    guard !files.isEmpty else {
      throw MigrationError("functions.json: migrations: \(folder.path) has no .sql files, or cannot be read.")
    }
    var numbers: Set<Substring> = []
    var migrations: [SchemaMigration] = []
    for file in files {
      let name = file.dropLast(4)
      let number = name.prefix { $0 != "_" }
      guard number.count == 4, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), name.count > 5 else {
        throw MigrationError("\(folder.path)/\(file) is not named like a migration: 0001_what_it_makes.sql")
      }
      guard numbers.insert(number).inserted else {
        throw MigrationError("Two migrations in \(folder.path) have the number \(number).")
      }
      guard let text = TextFile.read("\(folder.path)/\(file)", last: longest, followsLinks: true),
        text.utf8.count < longest
      else { throw MigrationError("\(folder.path)/\(file) cannot be read, or has 1 MiB or more.") }
      // Some editors end lines by two bytes, and what reads the text looks for one.
      let sql = text.utf8.contains(0x0D) ? text.replacing("\r\n", with: "\n") : text
      migrations.append(SchemaMigration(name: "\(folder.name)/\(name)", sql: sql))
    }
    let names = Set(migrations.map(\.name))
    for migration in migrations {
      if case .since(let earlier) = migration.compatibility, !names.contains(earlier) || earlier >= migration.name {
        throw MigrationError("\(migration.name) is compatible since \(earlier), which is no migration before it.")
      }
    }
    return migrations
  }

  /// The folder of the runner's own.
  static let ownFolder: Substring = "runner"

  /// The runner's own.
  static let runner: [SchemaMigration] = [
    ("1000_events", shim_events()), ("1001_leases", shim_leases()), ("1002_schedules", shim_schedules()),
    ("1003_triggers", shim_triggers()), ("1004_partitions", shim_partitions()), ("1005_queue", shim_queue()),
    ("1006_partition_number", shim_partition_number()), ("1007_access", shim_access()),
    ("1008_changes", shim_changes()), ("1009_plain", shim_plain()),
  ].map { SchemaMigration(name: "\(ownFolder)/\($0)", sql: String(cString: $1)) }
}
