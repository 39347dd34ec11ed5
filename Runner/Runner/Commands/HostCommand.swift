import CLI
import FunctionKit
import Lifecycle
import Manifest

/// `runner host NAME...`: serves functions over HTTP until a signal comes.
struct HostCommand {
  private var project: Project
  private var options = FunctionHost.Options()

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    project = try Project(&arguments)
    let environment = project.environment
    options.isBehindEngine = environment[FunctionHost.service] != nil
    options.host =
      try arguments.value("--host") ?? environment["RUNNER_HOST"] ?? (options.isBehindEngine ? "0.0.0.0" : options.host)
    let port = try arguments.number("--port", in: 0...65_535) ?? environment.port
    options.port = port.map { UInt16($0) } ?? options.port
    options.trustedProxies = try arguments.value("--trusted-proxy")
    options.logLevel = try LogLevel.asked(&arguments, environment)
    let concurrency = try arguments.number("--concurrency", in: 1...1_000)
    var names: [String] = []
    while let name = arguments.operand() { names.append(name) }
    try arguments.finish()
    guard !names.isEmpty else {
      throw FunctionError(.usage, "Which functions? Give their names: runner host NAME...; see runner list.")
    }
    let selection = try FunctionSelection(only: names).checked(by: project.manifest)
    project.manifest = project.manifest.selecting(selection)
    for index in project.manifest.functions.indices {
      let entry = project.manifest.functions[index]
      guard entry.target == nil else {
        throw FunctionError(.usage, "\(entry.name) has a \"url\" and runs elsewhere: it cannot be hosted here.")
      }
      if let concurrency { project.manifest.functions[index].concurrency = concurrency }
    }
  }

  func run() async throws -> Int32 {
    let host = await FunctionHost(project, options)
    do { try await host.start() } catch {
      await host.stop()
      throw error
    }
    await host.waitForEnd()
    await host.stop()
    return await host.status
  }
}
