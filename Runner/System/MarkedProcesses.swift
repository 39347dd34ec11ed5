import Glibc

/// The processes whose first environment, as `/proc` shows it, has a certain entry.
package enum MarkedProcesses {
  /// The ids of all other processes that have the entry and that this user may look into.
  package static func carrying(_ entry: String) -> [ProcessID] {
    ProcessTable.all().filter { $0 != getpid() && environment(of: $0, contains: entry) }
  }

  private static func environment(of process: ProcessID, contains entry: String) -> Bool {
    let descriptor = open("/proc/\(process)/environ", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var bytes: [CChar] = []
    var chunk = [CChar](repeating: 0, count: 16_384)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    bytes.append(0)
    return bytes.withUnsafeBufferPointer { text in
      guard var place = text.baseAddress else { return false }
      let end = place + text.count
      while place < end {
        if strcmp(place, entry) == 0 { return true }
        place += strlen(place) + 1
      }
      return false
    }
  }
}
