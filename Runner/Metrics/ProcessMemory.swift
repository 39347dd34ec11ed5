import Glibc
import System

enum ProcessMemory {
  /// In bytes, from `/proc/self/statm`.
  @BlockingThread
  static var resident: Int {
    guard let text = TextFile.read("/proc/self/statm", last: 256) else { return 0 }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
