import Foundation
import Glibc

/// The kernel's figures of a process.
struct ProcessFigures {
  /// The time that all its threads have computed, true to a hundredth of a second.
  let cpu: Duration
  /// Its resident memory, in bytes.
  let memory: Int

  init(_ process: pid_t) throws {
    let fields = try Self.fields(of: process)
    guard fields.count > 21, let user = fields[11], let system = fields[12], let pages = fields[21] else {
      throw BenchmarkError("/proc/\(process)/stat is not understood.")
    }
    cpu = .seconds(Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
    memory = pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// The time that a process and its descendants have computed, those included that have ended and were waited for.
  static func familyTime(of process: pid_t) throws -> Duration {
    let ticks = try family(of: process).reduce(0) { sum, member in
      // A process may end meanwhile; its parent then has its time.
      guard let fields = try? fields(of: member), fields.count > 14 else { return sum }
      return sum + fields[11...14].compactMap(\.self).reduce(0, +)
    }
    return .seconds(Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// A process with all its descendants.
  static func family(of process: pid_t) throws -> [pid_t] {
    let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
    let parents = all.compactMap { process in
      (try? fields(of: process)).flatMap { $0.count > 1 ? $0[1] : nil }.map { (process, pid_t($0)) }
    }
    var family = [process]
    var next = 0
    while next < family.count {
      family += parents.filter { $0.1 == family[next] }.map(\.0)
      next += 1
    }
    return family
  }

  /// The time that a process and its living descendants have computed.
  static func time(ofFamily process: pid_t) throws -> Duration {
    // One may end meanwhile.
    try family(of: process).compactMap { try? ProcessFigures($0).cpu }.reduce(.zero, +)
  }

  /// How often its threads have waited: each of them was then woken.
  static func waits(of process: pid_t) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").reduce(0) { sum, thread in
      // A thread may end meanwhile.
      let text = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/status", encoding: .utf8)
      let line = text?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
      return sum + (line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0)
    }
  }

  /// Its share of the memory that it uses, in bytes: a page that several processes use counts for each as a part.
  static func proportionalMemory(of process: pid_t) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
    return try kilobytes("Pss", in: text, of: process) * 1_024
  }

  private static func kilobytes(_ name: String, in text: String, of process: pid_t) throws -> Int {
    // VmHWM:	    1234 kB
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
      throw BenchmarkError("/proc does not say the \(name) of process \(process).")
    }
    return kilobytes
  }

  /// The most resident memory that it has had, in bytes.
  static func peakMemory(of process: pid_t) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    return try kilobytes("VmHWM", in: text, of: process) * 1_024
  }

  /// The fields of its `stat` after the program's name, which are numbers but for the first.
  private static func fields(of process: pid_t) throws -> [Int?] {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The second field is the program's name in parentheses, which may hold anything.
    return text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst().map { Int($0) }
  }
}
