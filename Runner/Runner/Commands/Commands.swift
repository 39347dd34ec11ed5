import CLI
import Manifest

/// The runner's own commands.
enum Commands {
  /// Below the headings of `runner --help`, in their order.
  private static let groups: [(heading: String, commands: [CommandSpec])] = [
    (
      "Serve",
      [
        ServeCommand.spec, UpCommand.spec, StatusCommand.spec, DownCommand.spec, ResetCommand.spec, LogsCommand.spec,
        HostCommand.spec,
      ]
    ),
    ("Events", [EventsCommand.spec, WhyCommand.spec, ResendCommand.spec, DeploymentExport.spec]),
    ("Schedules", [SchedulesCommand.spec]),
    ("Clock", [ClockCommand.spec]),
    ("Functions", [ListCommand.spec, InvokeCommand.spec, TryCommand.spec, TestCommand.spec, ResumeCommand.spec]),
    (
      "Checks",
      [CompletionsCommand.spec, EnvCommand.spec, ValidateCommand.spec, DoctorCommand.spec, MigrateCommand.spec]
    ),
  ]

  static let all = groups.flatMap { $0.commands }.map(with)

  static func of(_ word: String) -> CommandSpec? { all.first { $0.word == word } }

  /// The command with the options of every command about a project.
  static func with(_ spec: CommandSpec) -> CommandSpec { spec.adding([Project.folder, Project.stateFolder]) }

  /// A command's page, with what the bundle's own commands add to it.
  static func page(of spec: CommandSpec, _ entries: [CommandEntry]) -> String {
    let own = entries.filter { $0.name.hasPrefix("\(spec.word) ") }
    guard !own.isEmpty else { return spec.page }
    let lines = own.map { "  runner \($0.name)   \($0.summary)\n" }
    return "\(spec.page)\nThis bundle's own, each with a --help:\n\(lines.joined())"
  }

  /// `runner --help`, with the bundle's own commands.
  ///
  /// A command of the bundle that goes beyond one of the runner's own is shown in its place. One without a summary works,
  /// but is not shown.
  static func overview(_ entries: [CommandEntry]) -> String {
    let shown = entries.filter { !$0.summary.isEmpty }.map { CommandSpec($0.name, $0.summary) }
    let known = groups.map { group in
      (group.heading, group.commands.map { own in shown.first { $0.word == own.word } ?? own })
    }
    let own = shown.filter { of($0.word) == nil }
    let sections = own.isEmpty ? known : known + [("This bundle's own", own)]
    return CommandSpec.overview(of: "runner", "The local runner of a bundle of functions.", sections) + """

      Every command about a project takes --project DIR: the folder of
      functions.json, else the nearest one upward from here; and --state-dir DIR: the
      folder that its runner was started with, else .runner. DATABASE_URL names the
      database; without it the runner keeps a PostgreSQL of its own under .runner/.
      Files that are found count only if you or root own them, unless
      PUSH_FUNCTIONS_SAFE_DIRECTORY names their folder.

      """
  }
}
