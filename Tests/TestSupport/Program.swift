import CLinux
import Glibc

/// A program to start as a child process.
struct Program {
  let path: String
  let arguments: [String]
  let environment: [String: String]

  /// Starts it in a session of its own, so that a signal to the terminal's group does not reach it.
  func start(input: Int32, output: Int32, errors: Int32) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (source, target) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
      posix_spawn_file_actions_adddup2(&actions, source, target)
    }
    // A library may have opened something without closing it on `exec`.
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Threads of pools block most signals, and their children would inherit that.
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, shim_POSIX_SPAWN_SETSID | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let argumentList = ([path] + arguments).map { strdup($0) } + [nil]
    let environmentList = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (argumentList + environmentList).forEach { free($0) } }
    var process = pid_t()
    let error = posix_spawn(&process, path, &actions, &attributes, argumentList, environmentList)
    guard error == 0 else { throw SystemError("posix_spawn \(path)", code: error) }
    return process
  }
}

/// Both ends close on `exec`: a child has only the descriptors that it is given.
struct Pipe {
  let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError("pipe2") }
    (reading, writing) = (ends[0], ends[1])
  }
}
