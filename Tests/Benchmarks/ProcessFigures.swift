import Foundation
import Glibc

/// What the kernel says of a process.
struct ProcessFigures {
  /// The time that all its threads have computed, true to a hundredth of a second.
  let cpu: Duration
  /// Its resident memory, in bytes.
  let memory: Int

  init(_ process: pid_t) throws {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The second field is the program's name in parentheses, which may hold anything.
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst().map { Int($0) }
    guard fields.count > 21, let user = fields[11], let system = fields[12], let pages = fields[21] else {
      throw BenchmarkError("/proc/\(process)/stat is not understood: \(text)")
    }
    cpu = .seconds(Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
    memory = pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
