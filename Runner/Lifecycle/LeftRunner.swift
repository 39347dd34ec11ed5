import Glibc
import LocalPostgres
package import System

/// A runner that goes on serving a project whose folder was deleted.
package struct LeftRunner: Sendable {
  package let process: ProcessID
  /// Where the project was.
  package let project: String

  /// All of them, which their guards' command lines tell.
  package static func all() -> [LeftRunner] {
    ProcessTable.all().compactMap { process in
      let words = ProcessTable.words(of: process)
      guard words.count > 1, words[1] == "guard", let project = GuardOrder(words.dropFirst(2))?.project,
        isGone(project, for: process), let runner = ProcessTable.Entry(of: process)?.parent,
        let program = FileIdentity("/proc/\(process)/exe"), FileIdentity("/proc/\(runner)/exe") == program
      else { return nil }
      return LeftRunner(process: runner, project: project)
    }
  }

  /// As the process itself sees it, which may live in a container.
  private static func isGone(_ folder: String, for process: ProcessID) -> Bool {
    access("/proc/\(process)/root\(folder)", F_OK) != 0 && errno == ENOENT
  }
}
