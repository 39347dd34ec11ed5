import Manifest
import System

/// Notices that a paused function may be repaired: its executable or `functions.json` has changed.
struct PausedFunctions {
  private let project: Project
  private var tried: [String: [FileStamp?]]

  /// - Parameter files: their state before anything ran. A file that is repaired right after the first failure then
  ///   counts as changed.
  init(_ project: Project, _ files: ProjectFiles) {
    self.project = project
    tried = [:]
    for entry in project.manifest.functions { tried[entry.name] = stamps(of: entry.name, in: files) }
  }

  /// The paused functions whose files have changed since they were last tried.
  mutating func mended(_ paused: [String], _ files: ProjectFiles) -> [String] {
    paused.filter { function in
      let now = stamps(of: function, in: files)
      return tried.updateValue(now, forKey: function) != now
    }
  }

  private func stamps(of function: String, in files: ProjectFiles) -> [FileStamp?] {
    [project.manifest[function].flatMap { files[project.executable(of: $0)] }, files[project.manifestFile]]
  }
}
