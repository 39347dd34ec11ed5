import CLI
import Console
import FunctionKit
import Glibc
import Lifecycle
import Manifest
import Panels
import System

/// `runner serve`: runs everything until a signal comes.
struct ServeCommand {
  private(set) var project: Project
  var options = Server.Options()

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    try self.init(&arguments)
    try arguments.finish()
  }

  /// Reads the options of serving and leaves the other arguments.
  init(_ arguments: inout CommandArguments) throws {
    var project = try Project(&arguments)
    options.selection = try FunctionSelection(&arguments).checked(by: project.manifest)
    project.manifest = project.manifest.selecting(options.selection)
    self.project = project
    if arguments.flag("--make-key") { try makeKey() }
    options.host = try arguments.value("--host") ?? project.environment["RUNNER_HOST"] ?? options.host
    let port = try arguments.number("--port", in: 0...65_535) ?? project.environment.port
    options.port = port.map { UInt16($0) } ?? options.port
    if let seconds = try arguments.number("--lease", in: 2...600) { options.leaseSeconds = seconds }
    if let seconds = try arguments.number("--drain", in: 0...3_600) { options.drainSeconds = seconds }
    if let seconds = try arguments.number("--wait", in: 0...3_600) { options.waitSeconds = seconds }
    options.trustedProxies = try arguments.value("--trusted-proxy")
    options.logLevel = try LogLevel.asked(&arguments, project.environment)
    options.migrates = arguments.flag("--migrate")
    options.watches = arguments.flag("--watch")
    options.startsServices = !arguments.flag("--no-services")
    options.emulates = arguments.flag("--emulator")
    let mode: ConsoleMode = try arguments.choice("--console") ?? (project.hasOwnDatabase ? .on : .readOnly)
    if mode != .off {
      options.pages = { server in
        server.databaseURL.map {
          ConsoleServer(server, mode: mode, database: $0, sources: { StandardPages.of($0) + PanelPages.of($0) })
        }
      }
    }
  }

  /// Sets a key where none is set: that of the file `runner-key` in the state folder, which is made if it is missing.
  ///
  /// Runners that share the folder have the same key, also if they start at once.
  private mutating func makeKey() throws {
    guard project.environment[Settings.keyVariable] == nil else { return }
    if project.state == "\(project.directory)/.runner" { try Folder.refuseLink(project.state) }
    let file = "\(project.state)/runner-key"
    do throws(SystemError) {
      _ = try project.stateDirectory()
      if access(file, F_OK) != 0 { try TextFile.make(file, with: "\(RandomID.make())\n") }
    } catch {
      throw FunctionError(
        .misconfigured,
        "\(Settings.keyVariable) is not set, and no key can be kept in \(project.state): "
          + "\(String(cString: strerror(error.code))). Set it, or let user \(geteuid()) write there.")
    }
    // As a variable, so that it counts when the settings are read again.
    setenv("\(Settings.keyVariable)_FILE", file, 1)
    project.settings = try project.reading().1
    options.madeKey = project.environment[Settings.keyVariable]
  }

  func run() async throws -> Int32 {
    let server = await Server(project: project, options: options, claim: try ServingClaim.take(project))
    guard try await server.start() else { return await server.status }
    await server.waitForEnd()
    await server.stop()
    return await server.status
  }
}

extension LogLevel {
  /// What `--log-level` says, else the variable; `nil` if nothing does.
  static func asked(_ arguments: inout CommandArguments, _ environment: Environment) throws -> LogLevel? {
    guard let text = try arguments.value("--log-level") else { return try from(environment) }
    guard let level = LogLevel(word: text) else {
      throw FunctionError(.usage, "--log-level takes debug, info, warning or error, not \(text).")
    }
    return level
  }
}

extension Environment {
  /// The gateway's port: `RUNNER_PORT`, else `PORT`, which some hosting platforms set.
  var port: Int? {
    get throws(FunctionError) {
      guard let name = ["RUNNER_PORT", "PORT"].first(where: { self[$0] != nil }), let text = self[name] else {
        return nil
      }
      guard let port = Int(text), 0...65_535 ~= port else {
        throw FunctionError(.misconfigured, "\(name) must be a number from 0 to 65535, not \(text).")
      }
      return port
    }
  }
}
