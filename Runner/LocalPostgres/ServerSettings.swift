/// The settings of the local server, where PostgreSQL's own do not suit a developer's machine.
enum ServerSettings {
  /// The arguments that override the cluster's files.
  static func arguments(socketDirectory: String) -> [String] {
    let settings = [
      "listen_addresses=", "port=\(SocketDirectory.port)", "unix_socket_directories=\(socketDirectory)",
      "unix_socket_permissions=0700", "fsync=on", "max_connections=100", "shared_buffers=256MB", "max_wal_size=1GB",
      "wal_buffers=16MB", "work_mem=16MB", "autovacuum_naptime=10s",
      "jit=off", "timezone=UTC", "log_timezone=UTC", "log_checkpoints=off", "log_line_prefix=%m [%p] %a ",
      "lc_messages=C",
    ]
    return settings.flatMap { ["-c", $0] }
  }
}
