import Foundation
import Glibc
import TestSupport

/// Starts a program again and again, some at a time, each with the same input and with as little around it as possible.
struct SpawnLoop {
  private let path: String
  private let input: String
  private let folder: TemporaryDirectory

  /// - Parameter input: what each process reads on stdin; its output goes nowhere.
  init(_ program: String, input: String) throws {
    path = BuiltExecutables.path(of: program)
    folder = try TemporaryDirectory()
    self.input = try folder.write(input, to: "input")
  }

  /// How many processes a second begin and end.
  func run(processes count: Int, for time: Duration) throws -> Double {
    // A group of their own, so that waiting for any of them takes nobody else's.
    let group = try start(in: 0)
    for _ in 1..<count { _ = try start(in: group) }
    let start = ContinuousClock.now
    var ended = 0
    while ContinuousClock.now - start < time {
      try awaitOne(of: group)
      ended += 1
      _ = try self.start(in: group)
    }
    let rate = Double(ended) / ((ContinuousClock.now - start) / .seconds(1))
    for _ in 0..<count { try awaitOne(of: group) }
    return rate
  }

  private func start(in group: pid_t) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setpgroup(&attributes, group)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let words = [strdup(path), nil]
    defer { free(words[0]) }
    var nothing: [UnsafeMutablePointer<CChar>?] = [nil]
    var process: pid_t = 0
    let problem = posix_spawn(&process, path, &actions, &attributes, words, &nothing)
    guard problem == 0 else { throw SystemError("posix_spawn \(path)", code: problem) }
    return process
  }

  private func awaitOne(of group: pid_t) throws {
    var status: Int32 = 0
    while waitpid(-group, &status, 0) < 0 {
      guard errno == EINTR else { throw SystemError("waitpid") }
    }
    guard status == 0 else { throw BenchmarkError("\(path) did not end well: wait status \(status)") }
  }
}
