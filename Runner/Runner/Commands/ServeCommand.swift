import CLI
import FunctionKit
import Lifecycle
import Manifest

/// `runner serve`: everything, until a signal.
struct ServeCommand {
  let project: Project
  var options = Server.Options()

  init(_ words: Words) throws {
    var words = words
    try self.init(&words)
    try words.finish()
  }

  /// Reads the options of serving and leaves the other words.
  init(_ words: inout Words) throws {
    var project = try Project(&words)
    if let folder = try words.value("--state-dir") { project.state = Project.absolute(folder) }
    options.selection = try FunctionSelection(&words)
    try options.selection.check(project.manifest)
    project.manifest = project.manifest.selecting(options.selection)
    self.project = project
    options.host = try words.value("--host") ?? project.environment["RUNNER_HOST"] ?? options.host
    let port = try words.number("--port", in: 0...65_535) ?? project.environment.port
    options.port = port.map { UInt16($0) } ?? options.port
    if let seconds = try words.number("--lease", in: 2...600) { options.leaseSeconds = seconds }
    if let seconds = try words.number("--drain", in: 0...3_600) { options.drainSeconds = seconds }
    if let seconds = try words.number("--wait", in: 0...3_600) { options.waitSeconds = seconds }
    options.migrates = words.flag("--migrate")
    options.watches = words.flag("--watch")
    options.startsServices = !words.flag("--no-services")
    options.emulates = words.flag("--emulator")
  }

  func run() async throws -> Int32 {
    let server = await Server(project: project, options: options, claim: try ServingClaim.take(project))
    guard try await server.start() else { return await server.status }
    await server.waitForEnd()
    await server.stop()
    return await server.status
  }
}

extension Environment {
  /// The gateway's port: `RUNNER_PORT`, else `PORT`, which hosts set that choose it.
  fileprivate var port: Int? {
    get throws(FunctionError) {
      guard let name = ["RUNNER_PORT", "PORT"].first(where: { self[$0] != nil }), let text = self[name] else {
        return nil
      }
      guard let port = Int(text), 0...65_535 ~= port else {
        throw FunctionError(.usage, "\(name) must be a number from 0 to 65535, not \(text).")
      }
      return port
    }
  }
}
