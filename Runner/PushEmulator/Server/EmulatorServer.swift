import EventLoop
import FunctionKit
import HTTP2

/// A running emulator.
struct EmulatorServer: Sendable {
  /// What a sender's environment has to hold.
  let environment: RawJSON
  private let lock: DirectoryLock
  private let emulator: Emulator
  private let server: HTTP2Server

  /// Makes what the directory lacks, and listens.
  static func start(_ options: ServeOptions, log: Log) async throws(EmulatorError) -> EmulatorServer {
    try Files.makeDirectory(options.directory)
    let lock = try DirectoryLock(options.directory)
    do throws(EmulatorError) {
      return try await start(options, lock, log)
    } catch {
      lock.release()
      throw error
    }
  }

  private static func start(
    _ options: ServeOptions, _ lock: DirectoryLock, _ log: Log
  ) async throws(EmulatorError) -> EmulatorServer {
    let directory = try EmulatorDirectory(preparing: options.directory, host: options.host)
    let key = ProviderKey(
      keyID: EmulatorDirectory.keyID, teamID: EmulatorDirectory.teamID, key: directory.providerKey)
    let journal = try PushJournal(path: directory.pushesPath)
    let history = PushHistory(try journal.load())
    let loop = EventLoop(name: "push-emulator")
    let apns = APNS(key: key, rules: PushRules(bundleIDs: options.bundleIDs))
    let emulator = Emulator(loop: loop, apns: apns, history: history, journal: journal, log: log)
    let reception = Reception(emulator: emulator, access: ControlAccess(host: options.host))
    do throws(HTTP2Error) {
      let server = try await HTTP2Server.start(
        on: Endpoint(host: options.host, port: options.port), certificateChain: directory.certificatePath,
        privateKey: directory.certificateKeyPath, settings: Reception.settings, loop: loop,
        onDisconnect: { connection in reception.assumeIsolated { $0.forget(connection) } },
        handler: { request, responder in reception.assumeIsolated { $0.receive(request, responder) } })
      let environment = directory.environment(url: "https://\(server.endpoint)")
      return EmulatorServer(environment: environment, lock: lock, emulator: emulator, server: server)
    } catch {
      loop.stop()
      throw .configuration("The push emulator could not start: \(error).")
    }
  }

  /// Lets waiting requests go, closes the connections and writes what is not written yet.
  func stop() async {
    await emulator.stop()
    await server.stop(within: .seconds(1))
    await emulator.stop()
    emulator.loop.stop()
    lock.release()
  }
}
