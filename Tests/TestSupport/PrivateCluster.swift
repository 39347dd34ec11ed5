import Foundation
import Glibc

/// A PostgreSQL server of one test's own, which may be killed, stopped and started again.
///
/// A shell holds it. The shell reads orders from a pipe and answers each with a line. At the end of the pipe this
/// process is gone, perhaps by SIGKILL, and the shell stops the server and removes the directory. One order at a time.
package final class PrivateCluster: Sendable {
  private let directory: String
  private let orders: FileHandle
  private let answers: FileHandle

  /// One that never starts: `initdb` takes as long as many copies of what it makes.
  private static let empty = Task { try await PrivateCluster("", disk: nil, [:], copying: nil) }

  /// Makes a cluster and starts it.
  ///
  /// - Parameters:
  ///   - settings: further lines of `postgresql.conf`.
  ///   - disk: gives the data a disk of its own with this many megabytes, where ``canMountDisks``.
  ///   - environment: variables of the server's processes; no value has a space.
  ///   - other: a cluster that is stopped, with whose roles and databases this one begins.
  package convenience init(
    settings: String = "", disk megabytes: Int? = nil, environment: [String: String] = [:],
    like other: PrivateCluster? = nil
  ) async throws {
    let origin = if let other { other } else { try await Self.empty.value }
    try await self.init(settings, disk: megabytes, environment, copying: origin)
    try await start()
  }

  private init(
    _ settings: String, disk megabytes: Int?, _ environment: [String: String], copying origin: PrivateCluster?
  ) async throws {
    directory = try TemporaryCluster.makeDirectory()
    let (input, output) = (try Pipe(), try Pipe())
    (orders, answers) = (Self.handle(input.writing), Self.handle(output.reading))
    defer { [input.reading, output.writing].forEach { close($0) } }
    let arguments = ["sh", try TemporaryCluster.binaries(), directory, settings, origin?.directory ?? ""]
    let words = Self.account + ["/bin/sh", "-c", Self.script] + arguments
    let command = megabytes.map { Self.mounting($0, directory, words) } ?? words
    let variables = environment.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    _ = try Program(
      path: command[0], arguments: Array(command.dropFirst()),
      environment: ["PATH": "/usr/bin:/bin", "SERVER_ENVIRONMENT": variables]
    ).start(input: input.reading, output: output.writing, errors: output.writing)
    try await order("create")
  }

  /// Whether this user may mount a small disk for ``init(settings:disk:environment:like:)``.
  package static let canMountDisks: Bool = {
    guard geteuid() == 0, let null = try? Pipe() else { return false }
    defer { [null.reading, null.writing].forEach { close($0) } }
    let words = ["-m", "/bin/mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    guard
      let process = try? Program(path: "/usr/bin/unshare", arguments: words, environment: [:])
        .start(input: null.reading, output: null.writing, errors: null.writing)
    else { return false }
    var status: Int32 = -1
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }()

  /// The URL of one of its databases.
  package func url(database: String = "postgres") -> String {
    "postgresql:///\(database)?host=\(directory)&user=postgres"
  }

  /// Starts the server and waits until it takes connections.
  package func start() async throws { try await order("start") }

  /// Stops it as an administrator would.
  package func stop() async throws { try await order("stop") }

  /// Kills all of it at once, as a loss of power would, and does not start it again.
  package func kill() async throws { try await order("kill") }

  /// Does the same on a thread of its own and calls back from there, however busy the tasks of other tests are.
  package func kill(then body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread { [self] in
      // Without the loss of power nothing goes on, and the test fails where it waits.
      guard (try? obey("kill")) != nil else { return }
      body()
    }
  }

  /// Fills its disk to the last byte.
  package func fillDisk() async throws { try await order("fill") }

  /// Frees the room that ``fillDisk()`` took.
  package func freeDisk() async throws { try await order("free") }

  /// Takes a base backup of the running server.
  package func backUp() async throws { try await order("backup") }

  /// Puts the base backup in the place of the data of the server, which is stopped.
  package func restore() async throws { try await order("restore") }

  private func order(_ word: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      // Reading blocks, and a thread of the shared pool must not.
      Thread.detachNewThread { [self] in continuation.resume(with: Result { try obey(word) }) }
    }
  }

  private func obey(_ word: String) throws {
    try orders.write(contentsOf: Data("\(word)\n".utf8))
    let answer = Self.line(answers)
    guard answer == "ready" else { throw ClusterFailure(description: "\(word): \(answer)") }
  }

  private static func line(_ answers: FileHandle) -> String {
    var bytes = Data()
    while let next = try? answers.read(upToCount: 1), !next.isEmpty, next.first != 0x0A { bytes += next }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func handle(_ descriptor: Int32) -> FileHandle {
    FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  private static var account: [String] {
    TemporaryCluster.user == nil ? [] : ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
  }

  /// Runs a command where a disk of its own is mounted as the directory's `data`.
  private static func mounting(_ megabytes: Int, _ directory: String, _ words: [String]) -> [String] {
    let script = #"""
      trap '' HUP INT TERM
      place=$1
      mkdir -m 700 "$place/data" && mount -t tmpfs -o "size=$2m,mode=0700,uid=$3,gid=$4" tmpfs "$place/data" &&
      shift 4 && "$@"
      umount "$place/data"
      rm -rf "$place"
      """#
    let owner = TemporaryCluster.user.map { ["\($0.id)", "\($0.group)"] } ?? ["0", "0"]
    return ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script, "sh", directory, "\(megabytes)"] + owner + words
  }

  private static let script = #"""
    trap '' HUP INT TERM
    create() {
      if [ "$4" ]; then
        mkdir -p -m 700 "$2/data" && cp -R "$4/data/." "$2/data"
      else
        "$1/initdb" -D "$2/data" -U postgres -A trust -N --no-locale -E UTF8 --wal-segsize=1
      fi &&
      cat >> "$2/data/postgresql.conf" <<END
    listen_addresses = ''
    unix_socket_directories = '$2'
    unix_socket_permissions = 0700
    max_connections = 100
    fsync = off
    shared_buffers = 32MB
    min_wal_size = 2MB
    max_wal_size = 16MB
    $3
    END
    }
    start() {
      # After a kill the last of the old server's processes may take a moment to see that they are alone.
      for try in 1 2 3 4 5 6 7 8 9 10; do
        env $SERVER_ENVIRONMENT "$1/pg_ctl" -D "$2/data" -l "$2/log" -w -t 20 -s start && return
        sleep 0.2
      done
      false
    }
    end() {
      # Stopped first, so that it has no children that are not known.
      server=$(head -n 1 "$2/data/postmaster.pid") && kill -STOP $server && kill -9 $server $(pgrep -P $server)
      # Where the first process reaps no orphans, as in a container without an init, it stays as a zombie.
      while [ -e /proc/$server ] && ! grep -q '^State:.Z' /proc/$server/status; do sleep 0.01; done
      rm -f "$2/data/postmaster.pid" "$2"/.s.PGSQL.*.lock
    }
    obey() {
      case $5 in
        create) create "$@" ;;
        start) start "$@" ;;
        stop) "$1/pg_ctl" -D "$2/data" -m fast -w -s stop ;;
        kill) end "$@" ;;
        fill) ! dd if=/dev/zero of="$2/data/ballast" bs=4k ;;
        free) rm "$2/data/ballast" ;;
        backup) "$1/pg_basebackup" -h "$2" -U postgres -D "$2/backup" -X stream -c fast --no-sync ;;
        restore) rm -rf "$2/data" && mv "$2/backup" "$2/data" ;;
      esac
    }
    while read -r word; do
      if obey "$1" "$2" "$3" "$4" "$word" < /dev/null > "$2/last" 2>&1; then
        echo ready
      else
        cat "$2/last" "$2/log" 2>/dev/null | tail -n 20 | tr '\n' ' '
        echo
      fi
    done
    "$1/pg_ctl" -D "$2/data" -m immediate -w stop > /dev/null 2>&1
    rm -rf "$2" 2> /dev/null
    """#
}
