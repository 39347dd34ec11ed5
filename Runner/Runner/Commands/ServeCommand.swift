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
    project = try Project(directory: words.value("--project"))
    if let host = try words.value("--host") { options.host = host }
    if let text = try words.value("--port") {
      guard let port = UInt16(text) else { throw FunctionError(.usage, "--port takes a number from 0 to 65535.") }
      options.port = port
    }
    options.migrates = words.flag("--migrate")
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
