import FunctionKit
import Glibc
import System

/// One attempt to start the cluster's server before a deadline.
///
/// The caller holds the lock `starting`.
struct ServerLaunch {
  let layout: ClusterLayout
  let environment: Environment
  let deadline: ContinuousClock.Instant

  /// Adopts the running server or starts one, and returns the folder of its socket.
  func run() async throws -> (server: Postmaster, socket: String, adopted: Bool) {
    let patienceEnds = min(deadline, ContinuousClock.now + .seconds(10))
    while true {
      if let (server, socket) = try await running() { return (server, socket, true) }
      let mayRetry = ContinuousClock.now < patienceEnds
      if let (server, socket) = try await start(mayRetry: mayRetry) { return (server, socket, false) }
      // The last processes of an earlier server hold its shared memory until they end.
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private func running() async throws -> (Postmaster, String)? {
    let settled = try await Polling.wait(until: deadline) {
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

  /// PostgreSQL itself discards the file of a dead server.
  ///
  /// But it trusts the file if another program or a zombie has the process id now.
  private func discardFile() {
    guard let file = Postmaster.file(in: layout.data), kill(file.process, 0) == 0 else { return }
    unlink("\(layout.data)/postmaster.pid")
  }

  /// Starts the server and waits until it is ready; `nil` if it ended because of what an earlier server has left.
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
    let settled = try await Polling.wait(until: deadline) {
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

  /// The major version of the cluster; `nil` if there is no cluster.
  private var clusterVersion: Int? {
    TextFile.read("\(layout.data)/PG_VERSION").flatMap { Int($0.prefix { $0.isNumber }) }
  }

  /// Runs a program in its own session, as the user that owns the data.
  func asServerUser(_ arguments: [String], output: Int32) throws -> pid_t {
    let launcher = layout.account?.launcher ?? []
    return try SessionProcess.start(
      launcher + arguments, environment: ["PATH=/usr/bin:/bin", "LC_ALL=C"], output: output)
  }

  /// Ends the session of a program that takes too long.
  func abandon(_ process: pid_t, _ signal: Int32) {
    _ = kill(-process, signal)
    _ = Polling.block(until: ContinuousClock.now + .seconds(2)) { waitpid(process, nil, WNOHANG) != 0 }
  }

  /// Opens the server's log to append to it.
  ///
  /// A log over 10 MB is renamed first.
  func openLog() throws(SystemError) -> Int32 {
    var facts = stat()
    if lstat(layout.log, &facts) == 0, facts.st_size > 10_000_000 { rename(layout.log, "\(layout.log).1") }
    let log = open(layout.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard log >= 0 else { throw SystemError("open \(layout.log)") }
    return log
  }

  /// The log's last lines, for a message.
  func logTail() -> String {
    let lines = (TextFile.read(layout.log, last: 8192) ?? "").split(separator: "\n").suffix(12)
    return lines.isEmpty ? "" : " The end of \(layout.log):\n  " + lines.joined(separator: "\n  ")
  }
}
