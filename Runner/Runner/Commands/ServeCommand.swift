import FunctionKit

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
    if let host = try words.value("--host") { options.host = host }
    if let port = try words.number("--port", in: 0...65_535) { options.port = UInt16(port) }
    if let seconds = try words.number("--lease", in: 2...600) { options.leaseSeconds = seconds }
    if let seconds = try words.number("--drain", in: 0...3_600) { options.drainSeconds = seconds }
    if let seconds = try words.number("--wait", in: 0...3_600) { options.waitSeconds = seconds }
    options.migrates = words.flag("--migrate")
    options.watches = words.flag("--watch")
    options.startsServices = !words.flag("--no-services")
  }

  func run() async throws -> Int32 {
    let server = await Server(project: project, options: options, claim: try ServingClaim.take(project))
    guard try await server.start() else { return 0 }
    await server.waitForEnd()
    await server.stop()
    return await server.status
  }
}
