import Glibc

/// How many files and sockets this process may have open.
enum DescriptorLimit {
  /// Raises the soft limit as far as the hard one allows; often it is no more than 1,024.
  ///
  /// - Returns: how many there may be now.
  @discardableResult
  static func raise(to wanted: UInt) -> UInt {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
    guard limit.rlim_cur < wanted else { return limit.rlim_cur }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return limit.rlim_cur
  }

  /// How many of them connections may take, when this number is needed for other things; a quarter in any case.
  static func share(of limit: UInt, besides others: UInt) -> UInt {
    max(limit / 4, limit > others ? limit - others : 0)
  }
}
