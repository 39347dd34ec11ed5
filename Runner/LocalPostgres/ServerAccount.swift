import Glibc

/// The unprivileged user that runs the server for root, because PostgreSQL refuses to run as root.
struct ServerAccount: Equatable, Sendable {
  let user: uid_t
  let group: gid_t

  /// The account for a runner with this effective user; `nil` for an ordinary user, who runs the server itself.
  static func needed(by user: uid_t = geteuid()) throws(LocalPostgresError) -> ServerAccount? {
    guard user == 0 else { return nil }
    guard let account = named("postgres") ?? named("nobody") else {
      throw LocalPostgresError(
        .failed, "PostgreSQL refuses to run as root, and there is no user named postgres or nobody.")
    }
    return account
  }

  /// The words before a program's command line that run it as this user.
  var launcher: [String] {
    ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(group)", "--clear-groups", "--"]
  }

  private static func named(_ name: String) -> ServerAccount? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var texts = [CChar](repeating: 0, count: 16_384)
    guard getpwnam_r(name, &entry, &texts, texts.count, &found) == 0, found != nil else { return nil }
    return ServerAccount(user: entry.pw_uid, group: entry.pw_gid)
  }
}
