/// The text of `Shared/Schema/schema.sql`: what `pg_dump` says of a database, each table with all that belongs to it.
struct SchemaText {
  /// A part of a dump, as its heading names it.
  private struct Part {
    let name: String
    let type: String
    let schema: String
    let body: String

    /// A heading is `history; Type: TABLE; Schema: runner; Owner: -`.
    init?(_ text: Substring) {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let fields = lines.first?.split(separator: "; ") ?? []
      guard fields.count > 2 else { return nil }
      name = String(fields[0])
      type = String(fields[1].dropFirst("Type: ".count))
      schema = String(fields[2].dropFirst("Schema: ".count))
      let noise = ["SET ", "\\", "-- PostgreSQL database dump"]
      let rest = lines.dropFirst().filter { line in line != "--" && !noise.contains { line.hasPrefix($0) } }
      body = rest.drop { $0.isEmpty }.joined(separator: "\n").trimmed
    }

    /// The owner of a part: a table, or a view, a function or a sequence of its own.
    var owner: String {
      let words = name.split(separator: " ").map(String.init)
      let place =
        switch type {
        case "CONSTRAINT", "FK CONSTRAINT", "POLICY", "TRIGGER", "DEFAULT", "ROW SECURITY": words[0]
        case "ACL" where words[0] == "COLUMN": String(words[1].prefix { $0 != "." })
        case "ACL" where words[0] == "FUNCTION": words.dropFirst().joined(separator: " ")
        case "ACL": words[1]
        case "INDEX": body.firstMatch(of: /\sON (?:ONLY )?\w+\.(\w+) USING/).map { String($0.1) } ?? name
        default: name
        }
      return "\(schema).\(place)"
    }
  }

  /// The kinds of things, each with the type of its parts in a dump.
  private static let sections = [
    ("Tables", "TABLE"), ("Sequences", "SEQUENCE"), ("Views", "VIEW"), ("Functions", "FUNCTION"),
  ]

  let text: String

  init(dump: String, version: Int) {
    let parts = dump.split(separator: "\n-- Name: ").compactMap(Part.init).filter { !$0.type.hasSuffix("ATTACH") }
    let belongings = Dictionary(grouping: parts, by: \.owner)
    var text = Self.heading(version)
    for (title, type) in Self.sections {
      text += "\n\n-- \(title)\n"
      for part in parts.filter({ $0.type == type }).sorted(by: { $0.owner < $1.owner }) {
        let others = (belongings[part.owner] ?? []).filter { $0.type != type }
        text += "\n" + ([part] + others).map(\.body).joined(separator: "\n") + "\n"
      }
    }
    self.text = text
  }

  /// A text as every release of a version writes it: PostgreSQL 15.20 puts AS before an alias, and 15.18 does not.
  static func comparable(_ text: String) -> String {
    text.replacing(/((?:DELETE FROM|UPDATE) [\w.]+) AS (\w+)(\n| SET )/) { "\($0.1) \($0.2)\($0.3)" }
  }

  static func heading(_ version: Int) -> String {
    """
    -- The tables, views and functions that the migrations make, of the runner and of the apps: for reading.
    -- "make schema" writes it, by pg_dump of PostgreSQL \(version).
    """
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.last == "\n" { text.removeLast() }
    return String(text)
  }
}
