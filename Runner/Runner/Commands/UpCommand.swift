import FunctionKit

/// `runner up`: serves, and has the bundle's `demo` command play its story once.
struct UpCommand {
  private let serve: ServeCommand
  private let endsAfterStory: Bool

  init(_ words: Words) throws {
    var words = words
    endsAfterStory = words.flag("--demo")
    var serve = try ServeCommand(&words)
    serve.options.migrates = true
    self.serve = serve
    try words.finish()
    guard serve.project.manifest.commands.contains(where: { $0.name == "demo" }) else {
      throw FunctionError(.usage, "functions.json has no command \"demo\" to play.")
    }
  }

  func run() async throws -> Int32 {
    let project = serve.project
    let server = await Server(project: project, options: serve.options, claim: try ServingClaim.take(project))
    guard try await server.start() else { return 0 }
    let status = try await server.untilSignal { await Story.play(project) }
    if endsAfterStory {
      await server.stop()
      return status
    }
    if await !server.isEnding {
      Console.say("\nServing at \(await server.url) until Ctrl-C. Try: runner pushes, or see README.md.")
    }
    await server.waitForEnd()
    await server.stop()
    return await server.status
  }
}

/// Runs the bundle's `demo` command with this process's own terminal.
enum Story {
  /// Its exit status.
  static func play(_ project: Project) async -> Int32 {
    guard let command = project.manifest.commands.first(where: { $0.name == "demo" }) else { return 64 }
    do {
      return try await Companion.run(
        project.executable(command.executable), command.arguments,
        environment: CommandEnvironment.variables(project))
    } catch {
      return Console.complain(error)
    }
  }
}
