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
    project = try Project(&words)
    if let host = try words.value("--host") { options.host = host }
    if let port = try words.number("--port", in: 0...65_535) { options.port = UInt16(port) }
    if let seconds = try words.number("--lease", in: 2...600) { options.leaseSeconds = seconds }
    options.migrates = words.flag("--migrate")
    options.watches = words.flag("--watch")
    options.startsServices = !words.flag("--no-services")
  }

  func run() async throws -> Int32 {
    let server = await Server(project: project, options: options)
    try await server.start()
    await server.waitForEnd()
    await server.stop()
    return 0
  }
}
