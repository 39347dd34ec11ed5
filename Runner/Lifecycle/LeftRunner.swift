import Glibc
package import System

/// A runner that still serves a project although its folder was deleted.
package struct LeftRunner: Sendable {
  package let process: ProcessID
  /// Where the project was.
  package let project: String

  /// All of them, found by the command lines of their guards.
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

  /// Whether the folder is gone for the process itself, which may live in a container.
  private static func isGone(_ folder: String, for process: ProcessID) -> Bool {
    access("/proc/\(process)/root\(folder)", F_OK) != 0 && errno == ENOENT
  }
}
