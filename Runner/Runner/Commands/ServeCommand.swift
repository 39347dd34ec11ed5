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
    if let text = try words.value("--lease") {
      guard let seconds = Int(text), (2...600).contains(seconds) else {
        throw FunctionError(.usage, "--lease takes a number of seconds from 2 to 600.")
      }
      options.leaseSeconds = seconds
    }
    options.migrates = words.flag("--migrate")
    options.watches = words.flag("--watch")
    options.startsServices = !words.flag("--no-services")
    guard ["127.0.0.1", "::1"].contains(options.host) else {
      throw FunctionError(
        .usage, "\(options.host) can be reached from outside, and calls are not authenticated: use 127.0.0.1 or ::1.")
    }
  }

  func run() async throws -> Int32 {
    let server = await Server(project: project, options: options)
    try await server.start()
    await server.waitForEnd()
    await server.stop()
    return 0
  }
}
