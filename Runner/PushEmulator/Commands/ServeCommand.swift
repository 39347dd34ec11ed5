import Emulation
import FunctionKit

/// Serves until it is told to end.
struct ServeCommand: Sendable {
  let options: ServeOptions
  let output: Output

  func run() async throws(EmulatorError) {
    let log = Log(["program": "push-emulator"])
    let ending = try Ending(withStdin: options.exitsWithStdin)
    let server = try await EmulatorServer.start(options, log: log)
    let ready = JSONText.object(["ready": Array("true".utf8), "environment": Array(server.environment.bytes)])
    output.write(String(decoding: ready, as: UTF8.self) + "\n")
    log.info("Ready")
    try await ending.wait()
    await server.stop()
    log.info("Stopped")
  }
}
