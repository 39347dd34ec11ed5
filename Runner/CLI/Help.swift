import Terminal

/// What a command's `--help` says, and its line in the program's overview.
package struct Help: Sendable {
  package let command: String
  /// For the overview, in a few words.
  package let summary: String
  /// Every form and option.
  package let text: String
  /// The heading of the overview that it stands below.
  package let heading: String
  /// As people call it.
  package let call: String
  /// Whether it is about a project, and so takes the options that name one.
  package let isOfProject: Bool

  /// - Parameter call: `runner` and the command unless given.
  package init(
    _ command: String, _ summary: String, below heading: String = "", called call: String? = nil,
    ofProject isOfProject: Bool = true, _ text: String
  ) {
    (self.command, self.summary, self.text, self.heading) = (command, summary, text, heading)
    self.isOfProject = isOfProject
    self.call = call ?? "runner \(command)"
  }

  /// The options that the text names, and those that every such command has.
  package var options: [String] {
    let common = isOfProject ? ["--project", "--state-dir", "--help"] : ["--help"]
    return Array(Set(Self.options(in: text) + common)).sorted()
  }

  /// The options that a text names.
  package static func options(in text: String) -> [String] {
    text.split { !($0.isLetter || $0 == "-") }.map(String.init).filter { $0.hasPrefix("--") && $0.count > 2 }
  }

  /// All that a person is told of the command.
  package var page: String {
    "\(summary.prefix(1).uppercased())\(summary.dropFirst()).\n\n\(text)\n"
  }

  /// What a program says of itself: its commands, below headings where they have some.
  package static func overview(of program: String, _ about: String, _ commands: [Help]) -> String {
    let headings = commands.map(\.heading).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let sections = headings.map { heading in
      let lines = commands.filter { $0.heading == heading }.map { ($0.command, $0.summary) }
      let width = max(11, lines.map(\.0.columns).max() ?? 0)
      return (heading.isEmpty ? "" : "\(heading)\n")
        + lines.map { "  \($0.0.padded(to: width)) \($0.1)\n" }.joined()
    }
    let indent = String(repeating: " ", count: "usage: ".count)
    return """
      \(about)

      usage: \(program) COMMAND [options]
      \(indent)\(program) COMMAND --help shows all forms and options of a command

      \(sections.joined(separator: "\n"))
      """
  }
}
