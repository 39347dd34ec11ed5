import FunctionKit
import Glibc
import TestSupport

/// From spawning an executable to its exit, against a C program that does nothing.
struct StartUpBenchmark {
  private static let rounds = 300
  /// The C programs; the second shows what loading libpq alone costs.
  private static let references = ["nothing", "nothing-with-libpq"]
  private static let limits = ["echo": 1.5, "vote-cast": 3.0]

  func findings() throws -> [Finding] {
    let programs = Self.references + (try ProjectManifest.read().functions)
    var times = programs.map { _ in [Double]() }
    // All take turns, so that everything else on the machine affects all alike; the first round fills the caches.
    for round in 0...Self.rounds {
      for (index, program) in programs.enumerated() {
        let time = try Spawning.spawnToExit(BuiltExecutables.path(of: program), ["--version"])
        if round > 0 { times[index].append(time.milliseconds) }
      }
    }
    let medians = times.map { Samples($0) }
    return zip(programs, medians).map { program, samples in
      Finding(
        what: "start-up: \(Self.references.contains(program) ? "C, \(program)" : program)", p50: samples.p50,
        p99: samples.p99, ratio: samples.p50 / medians[0].p50, isYardstick: Self.references.contains(program),
        limits: Self.limits[program].map { [.ratioAtMost($0)] } ?? [])
    }
  }
}

/// Starts a process and waits for its end, with as little around it as possible.
enum Spawning {
  static func spawnToExit(_ path: String, _ arguments: [String]) throws -> Duration {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var nothing: [UnsafeMutablePointer<CChar>?] = [nil]
    var process: pid_t = 0
    var status: Int32 = 0
    let start = ContinuousClock.now
    let problem = posix_spawn(&process, path, &actions, nil, words, &nothing)
    guard problem == 0 else { throw BenchmarkError("\(path): \(String(cString: strerror(problem)))") }
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let time = ContinuousClock.now - start
    guard status == 0 else { throw BenchmarkError("\(path) did not end well: wait status \(status)") }
    return time
  }
}
