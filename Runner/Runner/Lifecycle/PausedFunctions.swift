import Glibc

/// Notices when a paused function may have been mended: its executable or `functions.json` is another one.
struct PausedFunctions {
  private var seen: [String: String] = [:]

  /// The functions among those paused whose files changed since they were first seen paused.
  mutating func mended(_ paused: [String], project: Project) -> [String] {
    seen = seen.filter { paused.contains($0.key) }
    var mended: [String] = []
    for function in paused {
      let now = Self.stamp(project.executable(function)) + Self.stamp("\(project.directory)/functions.json")
      if let before = seen.updateValue(now, forKey: function), before != now { mended.append(function) }
    }
    return mended
  }

  private static func stamp(_ path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "absent;" }
    return "\(status.st_ino):\(status.st_size):\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec);"
  }
}
