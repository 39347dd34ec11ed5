import CLI
import FunctionKit
import Glibc
import Lifecycle
import Logging
import Manifest
import Terminal

/// `runner up`: serves, and runs the bundle's `demo` command once.
struct UpCommand {
  private static let demo = Flag("--demo", "end after the story")
  private static let database = Flag(
    "--database",
    "use the database of DATABASE_URL, and bring it up to date; without this option up asks, and refuses without a "
      + "terminal")

  static let spec = CommandSpec(
    "up", "serve, and play the demo story once", Form([demo, database], optionsOf: ServeCommand.spec),
    notes: """
      The story is played on the runner's own database, or with --emulator, and its
      people are put only into a database that has no others.
      """, run: { try await Self($0).run() })

  private let serve: ServeCommand
  private let endsAfterStory: Bool
  private let meansDatabase: Bool

  init(_ arguments: CommandArguments) throws {
    endsAfterStory = arguments[Self.demo]
    meansDatabase = arguments[Self.database]
    var serve = try ServeCommand(arguments)
    serve.options.migrates = true
    self.serve = serve
    guard serve.project.manifest.commands.contains(where: { $0.name == "demo" }) else {
      throw FunctionError(.usage, "functions.json has no command \"demo\" to play.")
    }
    guard !endsAfterStory || mayPlay else {
      throw FunctionError(
        .usage, "The story needs the services of functions.json, which DATABASE_URL keeps away: give --emulator.")
    }
  }

  func run() async throws -> Int32 {
    let project = serve.project
    guard try project.hasOwnDatabase || meansDatabase || DatabaseQuestion.isAnsweredYes() else {
      TerminalWriter.note("Nothing was done.")
      return 0
    }
    let server = await Server(project: project, options: serve.options, claim: try ServingClaim.take(project))
    guard try await server.start() else {
      guard !endsAfterStory else { throw FunctionError(.unavailable, "Stopped before the story was played.") }
      return await server.status
    }
    let status = try await mayPlay ? server.playStory() : 0
    if endsAfterStory {
      await server.stop()
      return await status == 0 ? server.status : status
    }
    if await !server.isEnding { TerminalWriter.say(await farewell(server.url)) }
    await server.waitForEnd()
    await server.stop()
    return await server.status
  }

  private var mayPlay: Bool { serve.project.hasOwnDatabase || serve.options.emulates }

  private func farewell(_ url: String) -> String {
    let style = Style.current()
    let unplayed =
      mayPlay ? "" : "\nThe story was not played: it needs the services of functions.json, see runner serve --help."
    let manifest = serve.project.manifest
    let experiment = serve.project.usesOwnDatabase ? manifest.experiments.first.map { "try \($0.name)" } : nil
    let command = (experiment ?? manifest.commands.first?.name).map { style.command("\(OwnName.current) \($0)") }
    let advice = [command, "see README.md"].compactMap(\.self).joined(separator: ", or ")
    // Nobody can open the address of all interfaces.
    let place = url.replacing("//0.0.0.0:", with: "//127.0.0.1:").replacing("//[::]:", with: "//[::1]:")
    let console = serve.options.pages == nil ? "" : " The console is at \(style.title("\(place)/_/console/"))."
    return "\(unplayed)\nServing at \(style.title(place)) until Ctrl-C.\(console) Try: \(advice)."
  }
}

/// Asks whether a database that is not the runner's own is meant.
private enum DatabaseQuestion {
  private static let warning =
    "DATABASE_URL is set: its database, which is not the runner's own, would get tables, columns and triggers."

  /// - Throws: ``FunctionError/Code/usage`` if there is nobody to ask.
  static func isAnsweredYes() throws(FunctionError) -> Bool {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
      throw FunctionError(.usage, "\(warning) Unset it, or say by --database that it is meant.")
    }
    TerminalWriter.write("\(warning) Is it meant? [y/N] ", to: STDERR_FILENO)
    return ["y", "yes"].contains((readLine() ?? "").lowercased())
  }
}

extension Server {
  /// Runs the bundle's `demo` command on this process's terminal; nothing else writes there meanwhile.
  ///
  /// - Returns: its exit status.
  fileprivate func playStory() async throws -> Int32 {
    printer.keepQuiet(true)
    defer { printer.keepQuiet(false) }
    return try await untilSignal { [project] in await Story.play(project) }
  }
}

/// Runs the bundle's `demo` command on this process's terminal.
private enum Story {
  /// Returns its exit status.
  static func play(_ project: Project) async -> Int32 {
    guard let command = project.manifest.commands.first(where: { $0.name == "demo" }) else { return 64 }
    do {
      return try await ForegroundProgram.run(
        project.executable(command.executable), command.arguments,
        environment: CommandEnvironment.variables(project))
    } catch {
      return TerminalWriter.complain(error)
    }
  }
}
