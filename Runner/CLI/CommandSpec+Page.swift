import Terminal

extension CommandSpec {
  static let width = 80
  static let usage = "usage: "
  /// Where the texts of tables begin.
  private static let column = 18

  /// All that a person is told of the command: what it is for, its forms, its words and options, and what else there is.
  package var page: String {
    let lines =
      forms.map { $0.usage(of: call) }
      + shown.flatMap { verb in verb.forms.map { $0.usage(of: "\(call) \(verb.word)") } }
    let parts = [
      "\(summary.prefix(1).uppercased())\(summary.dropFirst()).",
      Self.usage + lines.joined(separator: "\n").replacing("\n", with: "\n" + Self.spaces(Self.usage.count)),
      about, table, notes,
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private var table: String {
    let parts = ([self] + shown).flatMap(\.forms).flatMap(\.listed).filter { !$0.help.isEmpty }
    let unique = parts.reduce(into: [Part]()) { unique, part in
      if !unique.contains(where: { $0.name == part.name }) { unique.append(part) }
    }
    let rest = unique.filter { !$0.isOperand }
    let sorted = unique.filter(\.isOperand) + rest.filter { !$0.isCommon } + rest.filter(\.isCommon)
    let rows = shown.map { ($0.word, $0.summary) } + sorted.map { ($0.label, $0.help) } + [("--help", "this page")]
    return rows.map(Self.row).joined(separator: "\n")
  }

  /// A name and its text; below each other where the name is too long.
  private static func row(_ name: String, _ text: String) -> String {
    let indent = spaces(column)
    let lines = text.wrapped(toColumns: width - column).joined(separator: "\n" + indent)
    let start = "  \(name)"
    return start.columns < column ? "\(start.padded(to: column))\(lines)" : "\(start)\n\(indent)\(lines)"
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

  /// What a program says of itself: its commands, below headings where they have some.
  package static func overview(
    of program: String, _ about: String, _ groups: [(heading: String, commands: [CommandSpec])]
  ) -> String {
    let sections = groups.map { group in
      let width = max(11, group.commands.map(\.word.columns).max() ?? 0)
      return (group.heading.isEmpty ? "" : "\(group.heading)\n")
        + group.commands.map { "  \($0.word.padded(to: width)) \($0.summary)\n" }.joined()
    }
    return """
      \(about)

      \(usage)\(program) COMMAND [options]
      \(spaces(usage.count))\(program) COMMAND --help shows all forms and options of a command

      \(sections.joined(separator: "\n"))
      """
  }
}
