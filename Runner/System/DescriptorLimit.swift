import Glibc

/// How many files and sockets this process may have open.
package enum DescriptorLimit {
  /// Raises the soft limit, which is often only 1,024, as far as the hard one allows.
  ///
  /// - Returns: the limit now.
  @discardableResult
  package static func raise(to wanted: UInt) -> UInt {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
    guard limit.rlim_cur < wanted else { return limit.rlim_cur }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit.rlim_cur
  }

  /// How many the runner needs besides connections: three pipes and a descriptor for each process, more pipe ends while
  /// a process starts, and the files that it has open itself.
  package static func needed(forProcesses count: Int) -> UInt { UInt(count) * 4 + 96 }

  /// How many of them connections may take if others need this number; at least a quarter.
  package static func share(of limit: UInt, besides others: UInt) -> UInt {
    max(limit / 4, limit > others ? limit - others : 0)
  }
}
