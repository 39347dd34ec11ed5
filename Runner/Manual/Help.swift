package import CLI
package import Manifest

/// The pages of the runner's own commands.
extension Help {
  /// The headings of the overview, in its order.
  enum Group: String {
    case serve = "Serve"
    case events = "Events"
    case schedules = "Schedules"
    case clock = "Clock"
    case functions = "Functions"
    case checks = "Checks"
  }

  init(group: Group, command: String, summary: String, ofProject: Bool = true, text: String) {
    self.init(command, summary, below: group.rawValue, ofProject: ofProject, text)
  }

  /// The pages of all of the runner's own commands.
  package static let all = serve + host + events + schedules + clock + functions + checks

  package static func of(_ command: String) -> Help? { all.first { $0.command == command } }

  /// The page with the options of every command about a project, and with the bundle's subjects for this one.
  package func page(with commands: [CommandEntry] = []) -> String {
    guard isOfProject else { return page }
    let subjects = commands.filter { $0.name.hasPrefix("\(command) ") }
    let own = subjects.map { "  runner \($0.name)   \($0.summary)\n" }.joined()
    let state =
      text.contains("--state-dir") ? "" : "  --state-dir DIR the folder that the runner was started with (.runner)\n"
    return """
      \(page)
        --project DIR   the folder of functions.json, else the nearest one upward
      \(state)\(own.isEmpty ? "" : "\nThis bundle's own, each with a --help:\n\(own)")
      """
  }

  /// `runner --help`, with the bundle's own commands.
  ///
  /// A command of the bundle that goes beyond one of the runner's own is shown in its place. One without a summary works,
  /// but is not shown.
  package static func overview(_ commands: [CommandEntry]) -> String {
    let shown = commands.filter { !$0.summary.isEmpty }
    let known = all.map { help in
      shown.first { $0.name == help.command }.map { Help($0.name, $0.summary, below: help.heading, "") } ?? help
    }
    let own = shown.filter { of($0.name) == nil }.map { Help($0.name, $0.summary, below: "This bundle's own", "") }
    return overview(of: "runner", "The local runner of a bundle of functions.", known + own) + """

      Every command about a project takes --project DIR: the folder of
      functions.json, else the nearest one upward from here; and --state-dir DIR: the
      folder that its runner was started with, else .runner. DATABASE_URL names the
      database; without it the runner keeps a PostgreSQL of its own under .runner/.
      Files that are found count only if you or root own them, unless
      PUSH_FUNCTIONS_SAFE_DIRECTORY names their folder.

      """
  }
}
