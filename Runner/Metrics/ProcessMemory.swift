import Glibc
import System

/// The memory of this process.
package enum ProcessMemory {
  /// In bytes.
  package static var resident: Int { get async { await read } }

  /// From `/proc/self/statm`.
  @BlockingThread
  private static var read: Int {
    guard let text = TextFile.read("/proc/self/statm", last: 256) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
