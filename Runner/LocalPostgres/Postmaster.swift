import Glibc
package import System

/// A running server of one data folder.
package struct Postmaster: Sendable {
  package let process: ProcessID
  package let data: String

  /// The server that `postmaster.pid` names, if its process lives and is this folder's server.
  package static func running(in data: String) -> Postmaster? {
    guard let file = file(in: data) else { return nil }
    let postmaster = Postmaster(process: file.process, data: data)
    return postmaster.isRunning ? postmaster : nil
  }

  /// The folder's `postmaster.pid`, even if its server has ended.
  static func file(in data: String) -> PostmasterFile? {
    TextFile.read("\(data)/postmaster.pid").flatMap { PostmasterFile($0) }
  }

  /// Whether the process is still the folder's server; `false` for a zombie.
  ///
  /// This reads the process's command line, which every user may read, and its working folder. That is the data folder
  /// under any name, but it is hidden from a root without CAP_SYS_PTRACE, as in a container.
  package var isRunning: Bool {
    let arguments = ProcessTable.words(of: process)
    guard let program = arguments.first, program == "postgres" || program.hasSuffix("/postgres") else { return false }
    guard let identity = FileIdentity(data) else { return false }
    if let folder = FileIdentity("/proc/\(process)/cwd") { return folder == identity }
    guard let option = arguments.firstIndex(of: "-D"), option + 1 < arguments.count else { return false }
    return FileIdentity(arguments[option + 1]) == identity
  }

  /// Sends a signal if the process is still this server.
  package func send(_ signal: Int32) {
    if isRunning { _ = kill(process, signal) }
  }
}
