import Glibc

/// How many files and sockets this process may have open.
enum DescriptorLimit {
  /// Raises the soft limit as far as the hard one allows; often it is no more than 1,024.
  static func raise(to wanted: UInt) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
