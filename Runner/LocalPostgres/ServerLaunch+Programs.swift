import Glibc
import System

extension ServerLaunch {
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
