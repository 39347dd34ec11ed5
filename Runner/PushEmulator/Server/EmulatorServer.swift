import EventLoop
import FunctionKit
import HTTP2

/// A running emulator.
struct EmulatorServer: Sendable {
  /// The environment variables of a sender.
  let environment: RawJSON
  private let lock: DirectoryLock
  private let emulator: Emulator
  private let servers: [HTTP2Server]

  /// Makes the directory's missing files, and listens.
  static func start(_ options: ServeOptions, log: Log) async throws(FunctionError) -> EmulatorServer {
    try Files.makeDirectory(options.directory)
    let lock = try await DirectoryLock(options.directory)
    do throws(FunctionError) {
      return try await start(options, lock, log)
    } catch {
      lock.release()
      throw error
    }
  }

  private static func start(
    _ options: ServeOptions, _ lock: DirectoryLock, _ log: Log
  ) async throws(FunctionError) -> EmulatorServer {
    let directory = try EmulatorDirectory(preparing: options.directory, host: options.host)
    let own = ProviderKey(keyID: EmulatorDirectory.keyID, teamID: EmulatorDirectory.teamID, key: directory.providerKey)
    let keys = ProviderKeys([own] + (try options.keysPath.map(KeyFile.read) ?? []))
    let tokens = ProviderTokens(keys: keys, isLenient: options.isLenient, scope: options.tokenUpdates)
    let journal = try PushJournal(path: directory.pushesPath, capacity: options.capacity)
    let history = PushHistory(try journal.load(), capacity: options.capacity)
    let apns = APNS(
      tokens: tokens, rules: PushRules(bundleIDs: options.bundleIDs),
      channels: try BroadcastChannels.load(directory.channelsPath))
    let loop = EventLoop(name: "push-emulator")
    let emulator = Emulator(
      loop: loop, options: options, apns: apns, history: history, journal: journal, directory: directory, log: log)
    var servers: [HTTP2Server] = []
    do {
      for face in Face.allCases { servers.append(try await listen(face, options, directory, emulator)) }
      let account = try await emulator.begin(servers)
      let environment = directory.environment(servers.map { "https://\($0.endpoint)" }, accountPath: account)
      return EmulatorServer(environment: environment, lock: lock, emulator: emulator, servers: servers)
    } catch {
      for server in servers { await server.stop(within: .zero) }
      loop.stop()
      throw FunctionError(.misconfigured, "The push emulator could not start: \(error).")
    }
  }

  private static func listen(
    _ face: Face, _ options: ServeOptions, _ directory: EmulatorDirectory, _ emulator: Emulator
  ) async throws(HTTP2Error) -> HTTP2Server {
    var settings = HTTP2ServerSettings()
    settings.maxConcurrentStreams = face.firstStreams
    // A snapshot may be large.
    settings.maxBodyBytesOfPaths["/snapshot"] = 256 << 20
    if face != .fcm {
      let reason = Reason.payloadTooLarge
      settings.answerToLargeBodies = .json(reason.status, Answer.refused(reason).body)
    }
    return try await HTTP2Server.start(
      on: Endpoint(host: options.host, port: options.port(of: face)), certificateChain: directory.certificatePath,
      privateKey: directory.certificateKeyPath, settings: settings, loop: emulator.loop,
      onConnect: { info in emulator.assumeIsolated { $0.connected(info, face) } },
      onDisconnect: { info in emulator.assumeIsolated { $0.disconnected(info, face) } },
      handler: { request, responder in emulator.assumeIsolated { $0.receive(request, responder, face) } })
  }

  /// Answers waiting requests, closes the connections and writes the open records.
  func stop() async {
    await emulator.stop()
    for server in servers { await server.stop(within: .seconds(1)) }
    await emulator.stop()
    emulator.loop.stop()
    lock.release()
  }
}
