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
  static let port = Option.number("--port", "N", in: 0...65_535, "the gateway's port; 0 takes a free one (54321)")
  static let host = Option.text(
    "--host", "A",
    "where the gateway listens (127.0.0.1); other addresses than 127.0.0.1 and ::1 need RUNNER_KEY or --make-key")
  static let trustedProxies = Option.text(
    "--trusted-proxy", "CIDR,CIDR",
    "proxies, such as 127.0.0.1 or 10.0.0.0/8, whose X-Forwarded-For or Forwarded tells the caller's address")
  private static let makeKey = Flag(
    "--make-key",
    "make a key that calls need, unless RUNNER_KEY is set; it is kept in the file runner-key of the state folder, and "
      + "logged at the start")
  private static let lease = Option.number(
    "--lease", "SECONDS", in: 2...600,
    "after which another runner takes over the work of one that does not answer (15)")
  private static let migrate = Flag("--migrate", "bring a database that is not the runner's own up to date")
  private static let noServices = Flag("--no-services", "without the services of functions.json")
  private static let emulator = Flag(
    "--emulator",
    "the database is for trying out only: start the services that stand in for others, and count what they take as "
      + "sent. Without it only the PostgreSQL that the runner itself keeps is local: DATABASE_URL may lead to a shared "
      + "one, also by a Unix socket, or a tunnel from localhost")
  private static let watch = Flag("--watch", "follow functions.json and executables that change")
  private static let drain = Option.number(
    "--drain", "SECONDS", in: 0...3_600,
    "after a signal to end, how long /_/ready says 503 while everything goes on (0); a second signal ends the wait")
  private static let wait = Option.number(
    "--wait", "SECONDS", in: 0...3_600, "for a database that is starting or does not listen yet (60)")
  private static let console = Option<ConsoleMode>.choice(
    "--console", "MODE",
    "the pages at /_/console/: on, read-only, or off (on beside the runner's own database, else read-only)")

  static let spec = CommandSpec(
    "serve", "the gateway, row events, schedules and workers, until Ctrl-C",
    [
      port, host, makeKey, lease, migrate, noServices, emulator, watch, FunctionSelection.only,
      FunctionSelection.except, FunctionSelection.noHTTP, FunctionSelection.noSchedules, drain, wait, trustedProxies,
      LogLevel.option, console,
      Project.stateFolder.saying(
        "where this runner keeps runner.json, its lock and its log (.runner); two runners of a folder need two"),
    ],
    notes: """
      exit: 75 another runner has to end first, or the database does not answer,
      or refuses the runner, 78 the database is not as functions.json says, or a
      line of the app's own texts would be told to nobody.

      Environment variables; those that are not set are read from .env beside
      functions.json, and a secret NAME from the file that NAME_FILE names:

        DATABASE_URL    where functions connect, and the runner, unless
        RUNNER_DATABASE_URL
                        says where the runner connects: it needs sessions of its
                        own. Functions may use a pooler in transaction mode, such
                        as PgBouncer: DATABASE_URL with pgbouncer=true
        RUNNER_PORT, PORT, RUNNER_HOST
                        in place of --port and --host
        RUNNER_STATE_DIR
                        in place of --state-dir; other commands, such as logs and
                        doctor, find the runner by it, too. A relative path in
                        .env begins at that file's folder
        RUNNER_KEY      the key that calls have to show, of 16 characters or more, as
                        "Authorization: Bearer KEY" or "apikey: KEY"; without it
                        everybody on this machine may call
        RUNNER_HOSTS    further host names, separated by spaces, for a gateway
                        with another --host
        RUNNER_BODY_MEMORY
                        the memory for the bodies of all calls, in MiB (64);
                        beyond it calls get 503
        RUNNER_TRUSTED_PROXIES, LOG_LEVEL
                        in place of --trusted-proxy and --log-level
        OTEL_EXPORTER_OTLP_ENDPOINT
                        where traces go, over OTLP/HTTP in JSON; further variables of
                        OpenTelemetry are in Runner/OPERATING.md
      """, run: { try await Self($0).run() })

  private(set) var project: Project
  var options = Server.Options()

  init(_ arguments: CommandArguments) throws {
    var project = try Project(arguments)
    options.selection = try FunctionSelection(arguments).checked(by: project.manifest)
    project.manifest = project.manifest.selecting(options.selection)
    self.project = project
    if arguments[Self.makeKey] { try makeKey() }
    options.host = arguments[Self.host] ?? project.environment["RUNNER_HOST"] ?? options.host
    let port = try arguments[Self.port] ?? project.environment.port
    options.port = port.map { UInt16($0) } ?? options.port
    if let seconds = arguments[Self.lease] { options.leaseSeconds = seconds }
    if let seconds = arguments[Self.drain] { options.drainSeconds = seconds }
    if let seconds = arguments[Self.wait] { options.waitSeconds = seconds }
    options.trustedProxies = arguments[Self.trustedProxies]
    options.logLevel = try LogLevel.asked(arguments, project.environment)
    options.migrates = arguments[Self.migrate]
    options.watches = arguments[Self.watch]
    options.startsServices = !arguments[Self.noServices]
    options.emulates = arguments[Self.emulator]
    let mode = arguments[Self.console] ?? (project.hasOwnDatabase ? .on : .readOnly)
    if mode != .off {
      options.pages = { server in
        server.databaseURL.map {
          // Files say it: they are not read again for each page.
          let isOwn = server.project.usesOwnDatabase
          return ConsoleServer(server, mode: mode, database: $0) {
            StandardPages.of($0, isOwnDatabase: isOwn) + PanelPages.of($0)
          }
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
  static let option = Option<LogLevel>(
    "--log-level", "LEVEL",
    "log lines of this level and above only, also of functions: debug, info, warning or error (info)"
  ) { text throws(FunctionError) in
    guard let level = LogLevel(word: text) else {
      throw FunctionError(.usage, "--log-level takes debug, info, warning or error, not \(text).")
    }
    return level
  }.offering(.words(allCases.map(\.rawValue)))

  /// The level of ``option``, else of the variable; `nil` if neither is there.
  static func asked(_ arguments: CommandArguments, _ environment: Environment) throws -> LogLevel? {
    try arguments[option] ?? from(environment)
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
