import FunctionKit
import Manifest
import Terminal

/// What a command's `--help` says, and its line in `runner --help`.
struct Help {
  /// The headings of the overview, in its order.
  enum Group: String, CaseIterable {
    case serve = "Serve"
    case events = "Events"
    case schedules = "Schedules"
    case clock = "Clock"
    case functions = "Functions"
    case checks = "Checks"
  }

  let group: Group
  let command: String
  /// For the overview, in a few words.
  let summary: String
  /// Every form and option.
  let text: String

  /// Of every command of the runner's own.
  static let all = serve + events + schedules + clock + functions + checks

  static func of(_ command: String) -> Help? { all.first { $0.command == command } }

  /// The options that the text names.
  var options: [String] {
    let words = text.split { !($0.isLetter || $0 == "-") }.map(String.init)
    return Array(Set(words.filter { $0.hasPrefix("--") && $0.count > 2 } + ["--project", "--help"])).sorted()
  }

  /// All that a person is told of the command, with the subjects that the bundle has for it.
  func page(with commands: [CommandEntry] = []) -> String {
    let subjects = commands.filter { $0.name.hasPrefix("\(command) ") }
    let own = subjects.map { "  runner \($0.name)   \($0.summary)\n" }.joined()
    return """
      \(summary.prefix(1).uppercased())\(summary.dropFirst()).

      \(text)

        --project DIR   the folder of functions.json, else the nearest one upward
      \(own.isEmpty ? "" : "\nThis bundle's own, each with a --help:\n\(own)")
      """
  }

  /// `runner --help`, with the words that the bundle has of its own.
  static func overview(_ commands: [CommandEntry]) -> String {
    var groups = Group.allCases.map { group in
      (group.rawValue, all.filter { $0.group == group }.map { ($0.command, $0.summary) })
    }
    groups.append(("This bundle's own", commands.map { ($0.name, $0.summary) }))
    let sections = groups.filter { !$0.1.isEmpty }.map { heading, lines in
      let width = max(11, lines.map(\.0.columns).max() ?? 0)
      return "\(heading)\n" + lines.map { "  \($0.0.padded(to: width)) \($0.1)\n" }.joined()
    }
    return """
      The local runner of a bundle of functions.

      usage: runner COMMAND [options]
             runner COMMAND --help shows all forms and options of a command

      \(sections.joined(separator: "\n"))
      Every command takes --project DIR: the folder of functions.json, else the
      nearest one upward from here. DATABASE_URL names the database; without it the
      runner keeps a PostgreSQL of its own under .runner/.

      """
  }
}
