import FunctionKit
import Gateway
import Lifecycle
import Manifest
import Postgres
import System

/// Brings calls over HTTP to the host's functions.
@RunnerLoop
final class HTTPFront {
  /// The time between two questions whether the functions' database answers.
  private static let interval = Duration.seconds(5)

  private let host: FunctionHost
  private var isDatabaseAway = false

  init(_ host: FunctionHost) { self.host = host }

  /// Serves until the host is to end, and answers what has come.
  func run() async throws {
    let (options, project) = (host.options, host.project)
    let access = try GatewayAccess(
      host: options.host, manifest: project.manifest, environment: project.environment,
      trustedProxies: options.trustedProxies, isBehindEngine: options.isBehindEngine)
    if let url = host.databaseURL {
      let database = Connection(
        url: url, applicationName: "runner host", connectTimeout: .seconds(2), statementTimeout: .seconds(2))
      // /_/ready is never asked before the database was.
      await ask(database)
      host.supervisor.start("database") { [self] in await follow(database) }
    }
    let gateway = host.makeGateway(access) { [self] in
      Readiness(problems: (host.isEnding ? [.draining] : []) + (isDatabaseAway ? [.database] : []))
    }
    let server = HTTPServer(
      gateway, reserving: DescriptorLimit.needed(forProcesses: host.processes),
      memory: BodyMemory(mebibytes: access.bodyMemory))
    try await server.start(host: options.host, port: options.port)
    host.supervisor.start("gateway", .endServer(.unavailable)) { try await server.run() }
    if let advice = access.advice { host.log.warning(advice) }
    let name = options.host.contains(":") ? "[\(options.host)]" : options.host
    host.log.info("Serving", ["url": "http://\(name):\(server.port)", "functions": "\(host.functions.count)"])
    await host.waitForEnd()
    host.log.info("Stopping")
    server.drain()
    await host.supervisor.finish("gateway")
    await host.closePools()
    await server.finish(within: .seconds(5))
    server.stop()
  }

  /// Asks whether the functions' database answers, on a connection of its own.
  private func ask(_ database: Connection) async {
    do {
      _ = try await database.query("SELECT 1")
      isDatabaseAway = false
    } catch {
      let message: StaticString =
        error.refusal == nil
        ? "The functions' database does not answer" : "The functions' database refuses the connection"
      if !isDatabaseAway { host.log.warning(message, ["error.cause": "\(error)"]) }
      isDatabaseAway = true
    }
  }

  private func follow(_ database: Connection) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.interval)
      if !Task.isCancelled { await ask(database) }
    }
    await database.close()
  }
}
