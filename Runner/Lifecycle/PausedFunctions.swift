import Manifest
import System

/// Notices when a paused function may have been mended: its executable or `functions.json` is another one than before.
struct PausedFunctions {
  private let project: Project
  private var tried: [String: [FileStamp?]]

  init(_ project: Project) {
    self.project = project
    // From before anything ran: a file that is mended right after the first failure must not pass for the old one.
    tried = [:]
    for entry in project.manifest.functions { tried[entry.name] = stamps(of: entry.name) }
  }

  /// The functions among those paused whose files changed since they were last tried.
  mutating func mended(_ paused: [String]) -> [String] {
    paused.filter { function in
      let now = stamps(of: function)
      return tried.updateValue(now, forKey: function) != now
    }
  }

  private func stamps(of function: String) -> [FileStamp?] {
    [project.manifest[function].flatMap { FileStamp(project.executable(of: $0)) }, FileStamp(project.manifestFile)]
  }
}
