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
  /// The most resident memory that it has had, in bytes.
  static func peakMemory(of process: pid_t) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    // VmHWM:	    1234 kB
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
      throw BenchmarkError("/proc/\(process)/status names no VmHWM.")
    }
    return kilobytes * 1_024
  }
}
