import Glibc
package import System

/// The memory of processes, in bytes.
package enum ProcessMemory {
  /// The memory of this process, shared pages included.
  package static var resident: Int { get async { await read("self")?.resident ?? 0 } }

  /// The memory that processes have for themselves, together: all that run a program share its pages.
  ///
  /// A process that has ended meanwhile has none.
  package static func own(of processes: [ProcessID]) async -> Int {
    await sum(processes)
  }

  @BlockingThread
  private static func sum(_ processes: [ProcessID]) -> Int {
    processes.reduce(0) { sum, process in sum + (read("\(process)").map { max(0, $0.resident - $0.shared) } ?? 0) }
  }

  /// From `/proc/PROCESS/statm`: the second number is resident pages, and the third those of files and shared memory.
  @BlockingThread
  private static func read(_ process: String) -> (resident: Int, shared: Int)? {
    guard let text = TextFile.read("/proc/\(process)/statm", last: 256) else { return nil }
    let pages = text.split(separator: " ").map { Int($0) ?? 0 }
    guard pages.count > 2 else { return nil }
    let size = sysconf(Int32(_SC_PAGESIZE))
    return (pages[1] * size, pages[2] * size)
  }
}
