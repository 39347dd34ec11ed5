import CLinux
import Glibc
import System

/// Descendants of a process that have left its group, as `setsid` and daemons do.
///
/// They are held by their descriptors: a number may soon be another process's.
struct Escapees {
  private var descriptors: [pid_t: Int32] = [:]

  /// Takes hold of all that there are now.
  ///
  /// Those whose parents have ended are among them: the kernel gives them to the leader, see `shim_become_program`.
  mutating func find(of leader: pid_t) {
    for (process, entry) in ProcessTable.descendants(of: leader)
    where entry.group != leader && descriptors[process] == nil {
      let descriptor = shim_pidfd_open(process)
      guard descriptor >= 0 else { continue }
      guard ProcessTable.Entry(of: process)?.started == entry.started else {
        close(descriptor)
        continue
      }
      descriptors[process] = descriptor
    }
  }

  /// Sends a signal to all of them that still live.
  func send(_ signal: Int32) {
    for descriptor in descriptors.values { _ = shim_pidfd_send_signal(descriptor, signal) }
  }

  /// Lets go of them.
  mutating func release() {
    descriptors.values.forEach { close($0) }
    descriptors = [:]
  }
}
