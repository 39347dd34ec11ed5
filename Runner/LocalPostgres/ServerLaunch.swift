import FunctionKit
import Glibc
import System

/// One attempt to have the cluster's server running, up to a deadline; the caller holds the lock of starting.
struct ServerLaunch {
  let layout: ClusterLayout
  let environment: Environment
  let deadline: ContinuousClock.Instant

  /// Adopts the running server or starts one, and says where its socket is.
  func run() async throws -> (server: Postmaster, socket: String, adopted: Bool) {
    let patienceEnds = min(deadline, ContinuousClock.now + .seconds(10))
    while true {
      if let (server, socket) = try await running() { return (server, socket, true) }
      let mayRetry = ContinuousClock.now < patienceEnds
      if let (server, socket) = try await start(mayRetry: mayRetry) { return (server, socket, false) }
      // What an earlier server left is still ending: its last processes hold the shared memory until they are gone.
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private func running() async throws -> (Postmaster, String)? {
    let settled = try await Patience.wait(until: deadline) {
      Postmaster.running(in: layout.data) == nil || Postmaster.file(in: layout.data)?.isReady == true
    }
    guard settled else { throw LocalPostgresError(.timedOut, "The database is busy starting or stopping.\(logTail())") }
    guard let server = Postmaster.running(in: layout.data), let file = Postmaster.file(in: layout.data) else {
      discardFile()
      return nil
    }
    try SocketDirectory.prepare(file.socketDirectory, for: layout)
    return (server, file.socketDirectory)
  }

  /// PostgreSQL discards the file of a dead server by itself, but trusts one whose process id now is another program's,
  /// or that of a zombie.
  private func discardFile() {
    guard let file = Postmaster.file(in: layout.data), kill(file.process, 0) == 0 else { return }
    unlink("\(layout.data)/postmaster.pid")
  }

  /// Starts the server and waits until it is ready; `nil` when it ended because an earlier one is in its way.
  private func start(mayRetry: Bool) async throws -> (Postmaster, String)? {
    let binaries = try ServerBinaries.find(version: clusterVersion, path: environment["PATH"])
    if clusterVersion == nil { try await ClusterCreation(launch: self, binaries: binaries).run() }
    let socket = SocketDirectory.path(for: layout, runtimeDirectory: environment["XDG_RUNTIME_DIR"])
    try SocketDirectory.prepare(socket, for: layout)
    SocketDirectory.removeSocket(in: socket)

    let log = try openLog()
    defer { close(log) }
    let beginning = lseek(log, 0, SEEK_END)
    let process = try asServerUser(
      [binaries.server, "-D", layout.data] + ServerSettings.arguments(socketDirectory: socket), output: log)
    var ended = false
    var isReady = false
    defer { if !isReady, !ended { abandon(process, SIGQUIT) } }
    let settled = try await Patience.wait(until: deadline) {
      ended = waitpid(process, nil, WNOHANG) == process
      let file = Postmaster.file(in: layout.data)
      isReady = !ended && file?.process == process && file?.isReady == true
      return ended || isReady
    }
    guard settled else { throw LocalPostgresError(.timedOut, "PostgreSQL was not ready in time.\(logTail())") }
    if isReady { return (Postmaster(process: process, data: layout.data), socket) }
    let report = TextFile.read(layout.log, last: max(1, lseek(log, 0, SEEK_END) - beginning)) ?? ""
    let isObstructed = report.contains("is still in use") || report.contains("already exists")
    if isObstructed, mayRetry { return nil }
    throw LocalPostgresError(.failed, "PostgreSQL did not start.\(logTail())")
  }

  /// The major version that made the cluster, `nil` where there is none.
  private var clusterVersion: Int? {
    TextFile.read("\(layout.data)/PG_VERSION").flatMap { Int($0.prefix { $0.isNumber }) }
  }
}
