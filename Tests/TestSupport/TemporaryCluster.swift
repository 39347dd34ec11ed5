import Glibc

/// A private PostgreSQL server on a unix socket, which ends with this process no matter how that ends.
///
/// The server is started and stopped by a shell that reads a pipe; only this process holds the pipe's other end. At its
/// end of file the process is gone, perhaps by SIGKILL, and the shell stops the server and removes the directory.
struct TemporaryCluster: Sendable {
  let directory: String

  static let shared = Result { try TemporaryCluster() }

  private init() throws {
    directory = try Self.makeDirectory()
    let lifeline = try Pipe()
    let answer = try Pipe()
    defer { [lifeline.reading, answer.reading].forEach { close($0) } }

    let shell = Self.user == nil ? [] : ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    let command = shell + ["/bin/sh", "-c", Self.script, "sh", try Self.binaries(), directory]
    _ = try Program(path: command[0], arguments: Array(command.dropFirst()), environment: ["PATH": "/usr/bin:/bin"])
      .start(input: lifeline.reading, output: answer.writing, errors: answer.writing)
    close(answer.writing)

    let text = Self.readAll(answer.reading)
    guard text.hasSuffix("ready\n") else { throw ClusterFailure(description: text) }
  }

  func url(database: String) -> String {
    "postgresql:///\(database)?host=\(directory)&user=postgres"
  }

  private static let script = """
    trap '' HUP INT TERM
    {
      "$1/initdb" -D "$2/data" -U postgres -A trust -N --no-locale -E UTF8 &&
      cat >> "$2/data/postgresql.conf" <<END &&
    listen_addresses = ''
    unix_socket_directories = '$2'
    unix_socket_permissions = 0700
    max_connections = 200
    fsync = off
    full_page_writes = off
    autovacuum = off
    jit = off
    shared_buffers = 64MB
    log_checkpoints = off
    END
      "$1/pg_ctl" -D "$2/data" -l "$2/log" -w -s start
    } < /dev/null > "$2/setup" 2>&1 && echo ready || cat "$2/setup" "$2/log"
    exec > /dev/null 2>&1
    cat
    "$1/pg_ctl" -D "$2/data" -m immediate -w stop
    rm -rf "$2"
    """

  static func makeDirectory() throws -> String {
    // A socket's path has at most 107 bytes.
    let path = try TemporaryDirectory.make("\(isRoomInMemory ? "/dev/shm" : "/tmp")/pg-XXXXXX")
    if let user {
      guard chown(path, user.id, user.group) == 0 else { throw SystemError("chown") }
    }
    return path
  }

  /// Whether the file system in memory is large enough for all databases that tests have at the same time.
  ///
  /// A thousand databases are made and dropped, and that many new files are slow on a disk. A container has 64 MB there.
  private static let isRoomInMemory: Bool = {
    var status = statvfs()
    guard statvfs("/dev/shm", &status) == 0, access("/dev/shm", W_OK) == 0 else { return false }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 8 << 30
  }()

  /// The user that the server runs as, since it refuses root; nil for this process's own user.
  static let user: (id: uid_t, group: gid_t)? = {
    guard geteuid() == 0, let entry = getpwnam("postgres") else { return nil }
    return (entry.pointee.pw_uid, entry.pointee.pw_gid)
  }()

  /// The directory of the newest server's programs.
  static func binaries() throws -> String {
    let search = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
    let installed = (10...40).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
    let found = (installed + search).first { directory in
      ["initdb", "pg_ctl", "postgres"].allSatisfy { access("\(directory)/\($0)", X_OK) == 0 }
    }
    guard let found else { throw ClusterFailure(description: "PostgreSQL is missing: apt-get install postgresql") }
    return found
  }

  private static func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}

struct ClusterFailure: Error, CustomStringConvertible {
  let description: String
}
