import CLinux
import FoundationEssentials
import Glibc
import System

/// Creates the cluster in a draft folder, and renames it when it is complete: half a cluster is never used.
struct ClusterCreation {
  let launch: ServerLaunch
  let binaries: ServerBinaries

  private var layout: ClusterLayout { launch.layout }

  func run() async throws {
    try makeDraft()
    let log = try launch.openLog()
    defer { close(log) }
    let process = try launch.asServerUser(
      [
        binaries.initdb, "-D", layout.draft, "-N", "--auth=trust", "--encoding=UTF8", "--locale=\(locale)",
        "--username=\(LocalPostgres.user)",
      ], output: log)
    var status: Int32 = -1
    var ended = false
    defer { if !ended { launch.abandon(process, SIGKILL) } }
    ended = try await Polling.wait(until: launch.deadline) { waitpid(process, &status, WNOHANG) != 0 }
    guard ended else { throw LocalPostgresError(.timedOut, "initdb did not end in time.\(launch.logTail())") }
    guard status == 0 else { throw LocalPostgresError(.failed, "initdb failed.\(launch.logTail())") }
    try synchronize(layout.draft)
    guard rename(layout.draft, layout.data) == 0 else { throw SystemError("name \(layout.data)") }
    try synchronize(layout.home)
  }

  private func makeDraft() throws {
    for path in [layout.draft, layout.discarded] where access(path, F_OK) == 0 {
      try FileManager.default.removeItem(atPath: path)
    }
    try Folder.make(layout.draft, mode: 0o700)
    guard let account = layout.account else { return }
    guard chown(layout.draft, account.user, account.group) == 0 else { throw SystemError("give \(layout.draft) away") }
  }

  /// Writes the folder's whole file system to disk at once.
  ///
  /// Initdb does it file by file, which takes much longer.
  private func synchronize(_ directory: String) throws(SystemError) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open \(directory)") }
    defer { close(descriptor) }
    guard syncfs(descriptor) == 0 else { throw SystemError("write \(directory) to disk") }
  }

  private var locale: String {
    guard let found = newlocale(1 << LC_CTYPE, "C.UTF-8", nil) else { return "C" }
    freelocale(found)
    return "C.UTF-8"
  }
}
