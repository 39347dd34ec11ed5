import CLinux
import Glibc
import System

/// Descendants of a process that have left its group, as `setsid` and daemons do.
///
/// They are held by their descriptors: a number may soon be another process's.
struct Escapees {
  private var descriptors: [pid_t: Int32] = [:]

  /// All that there are now, in the caller's hands from then on.
  ///
  /// Processes whose parents have ended are among them: the kernel gives them to the leader, see `shim_become_program`.
  @ProcessThread
  static func find(of leader: ProcessID) -> [ProcessID: Int32] {
    var found: [ProcessID: Int32] = [:]
    for (process, entry) in ProcessTable.descendants(of: leader) where entry.group != leader {
      let descriptor = shim_pidfd_open(process)
      guard descriptor >= 0 else { continue }
      guard ProcessTable.Entry(of: process)?.started == entry.started else {
        close(descriptor)
        continue
      }
      found[process] = descriptor
    }
    return found
  }

  /// Keeps those that were found; one that is held already is kept once.
  mutating func hold(_ found: [ProcessID: Int32]) {
    for (process, descriptor) in found {
      if let former = descriptors.updateValue(descriptor, forKey: process) { close(former) }
    }
  }

  /// Sends a signal to all of them that still live.
  func send(_ signal: Int32) {
    for descriptor in descriptors.values { _ = shim_pidfd_send_signal(descriptor, signal) }
  }

  /// Ends all of them, and lets go of them.
  mutating func endAll() {
    send(SIGKILL)
    descriptors.values.forEach { close($0) }
    descriptors = [:]
  }
}
