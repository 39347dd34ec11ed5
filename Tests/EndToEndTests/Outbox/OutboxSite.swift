import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The apps' tables with the outbox of the page `Runner/CAPACITY.md`, and a function that hears of the same rows.
struct OutboxSite {
  let runner: RunningRunner
  private let cleanUp: SQL

  var database: Connection { runner.database }

  /// - Parameter url: a database of ``RunningRunner/cluster(settings:disk:)``, whose log can be read.
  init(database url: String) async throws {
    let sections = try House.text("Runner/CAPACITY.md").split(separator: "\n## ")
    let section = try #require(sections.first { $0.hasPrefix("Kafka, or another broker\n") })
    let statements = section.matches(of: /```sql\n([^`]*)```/).map { String($0.1) }
    try #require(statements.count == 3)
    cleanUp = SQL(unescaped: statements[2])
    runner = try await RunningRunner(
      #"""
      {"functions":{"heard":{"executable":"heard.sh","key":"id",
        "triggers":[{"table":"feedbacks","events":["INSERT","UPDATE","DELETE"]}]}}}
      """#,
      scripts: [
        "heard.sh": #"""
        while IFS= read -r line; do
          id=${line#*'"id":"'} id=${id%%'"'*}
          printf '{"id":"%s","exit":0}\n' "$id"
        done
        """#
      ], database: url)
    try #require(try await runner.run(["migrate"]).exit == 0)
    for text in statements[..<2] { try await database.script(text) }
    try await database.script(
      """
      INSERT INTO users (email, name) VALUES ('o@example.com', 'Owner');
      INSERT INTO projects (name, api_key, owner_id) SELECT 'Project', 'key', id FROM users;
      """)
  }

  static func insert(_ title: String) -> String {
    "INSERT INTO feedbacks (title, user_id, project_id) SELECT '\(title)', 'sdk', id FROM projects;"
  }

  /// Rows from now on are old enough to go.
  func age() async throws {
    try await database.script(
      "ALTER TABLE outbox.events ALTER at SET DEFAULT clock_timestamp() - interval '8 days'")
  }

  /// The page's statement; returns how many rows went.
  func clear() async throws -> Int { try await database.query(cleanUp).affectedRows }

  /// The titles of the rows that are there, in their order.
  func rows() async throws -> [String] {
    try await database.query("SELECT type || ' ' || (payload ->> 'title') AS line FROM outbox.events ORDER BY lsn")
      .decode("line")
  }

  func openSlot() async throws {
    _ = try await database.query("SELECT pg_create_logical_replication_slot('outbox', 'pgoutput')")
  }

  /// The next changes of the reader: at least that many messages, to the end of a transaction; all without a number.
  func read(_ number: Int? = nil) async throws -> [LoggedChange] { try await changes("get", number) }

  /// The changes that the reader has not read.
  func unread() async throws -> [LoggedChange] { try await changes("peek", nil) }

  private func changes(_ way: String, _ number: Int?) async throws -> [LoggedChange] {
    let messages = try await database.query(
      """
      SELECT data FROM pg_logical_slot_\(unescaped: way)_binary_changes(
        'outbox', NULL, \(unescaped: number.map { "\($0)" } ?? "NULL"), 'proto_version', '1', 'publication_names', 'outbox')
      """
    ).decode("data", as: [UInt8].self)
    return try messages.compactMap { try LoggedChange($0) }
  }

  /// Lets the reader confirm all that there is, so that the server needs no more of its log.
  func readToTheEnd() async throws -> [LoggedChange] {
    var changes: [LoggedChange] = []
    for _ in 1...3 {
      try await database.script("CHECKPOINT")
      changes += try await read()
    }
    return changes
  }
}

/// A row of the outbox as `pgoutput` says it to Debezium.
///
/// Source: https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html
struct LoggedChange {
  let id: String
  let text: String

  /// - Throws: for a message about a row that is no insert: the publication has none.
  init?(_ message: [UInt8]) throws {
    switch message.first {
    case UInt8(ascii: "I"): break
    case UInt8(ascii: "B"), UInt8(ascii: "C"), UInt8(ascii: "R"): return nil
    default: throw ProgramFailure(description: "The log says \(message.prefix(20)).")
    }
    // The relation, "N" and the number of columns come first.
    var rest = message.dropFirst(8)
    var columns: [String] = []
    while let kind = rest.popFirst() {
      guard kind == UInt8(ascii: "t") else {
        columns.append("")
        continue
      }
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      columns.append(String(decoding: rest.dropFirst(4).prefix(length), as: UTF8.self))
      rest = rest.dropFirst(4 + length)
    }
    guard columns.count == 7 else { throw ProgramFailure(description: "The log says \(columns).") }
    id = columns[0]
    let row = try RawJSON(validating: Array(columns[4].utf8)[...])
    text = "\(columns[3]) \(row["title"]?.stringValue ?? "-")"
  }
}
