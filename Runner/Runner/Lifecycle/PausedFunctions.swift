import Glibc

/// Notices when a paused function may have been mended: its executable or `functions.json` is another one than before.
struct PausedFunctions {
  private let project: Project
  private var tried: [String: String]

  init(_ project: Project) {
    self.project = project
    // From before anything ran: a file that is mended right after the first failure must not pass for the old one.
    tried = [:]
    for entry in project.manifest.functions { tried[entry.name] = stamp(of: entry.name) }
  }

  /// The functions among those paused whose files changed since they were last tried.
  mutating func mended(_ paused: [String]) -> [String] {
    paused.filter { function in
      let now = stamp(of: function)
      return tried.updateValue(now, forKey: function) != now
    }
  }

  private func stamp(of function: String) -> String {
    let executable = project.manifest[function].map(project.executable(of:)) ?? ""
    return Self.stamp(executable) + Self.stamp("\(project.directory)/functions.json")
  }

  private static func stamp(_ path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "absent;" }
    return "\(status.st_ino):\(status.st_size):\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec);"
  }
}
