import CLI
import Emulation
import FunctionKit

/// Serves until a signal ends it.
struct ServeCommand: Command {
  static let help = Help.serve
  private let options: ServeOptions

  init(_ arguments: CommandArguments) throws {
    options = try ServeOptions(arguments)
  }

  func run() async throws -> Int32 {
    let log = Log(["program": "push-emulator"])
    let ending = try Ending(withStdin: options.exitsWithStdin)
    let server = try await EmulatorServer.start(options, log: log)
    let ready = JSONText.object(["ready": Array("true".utf8), "environment": Array(server.environment.bytes)])
    Console.say(String(decoding: ready, as: UTF8.self))
    log.info("Ready")
    try await ending.wait()
    await server.stop()
    log.info("Stopped")
    return 0
  }
}
