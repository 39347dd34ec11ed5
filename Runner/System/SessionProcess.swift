import CLinux
import Glibc

/// Processes that outlive Ctrl-C: each leads its own session, and inherits only what it is given.
package enum SessionProcess {
  /// Starts a program in a new session and in `/`, with default signal handling and all other descriptors closed.
  ///
  /// - Parameters:
  ///   - arguments: The program's path and its arguments; `ps` shows the path as its name.
  ///   - environment: The whole environment, as `NAME=value`.
  ///   - input: The descriptor that becomes its standard input, `nil` for none.
  ///   - output: The descriptor that becomes its standard output and error, `nil` for none.
  package static func start(
    _ arguments: [String], environment: [String] = ["PATH=/usr/bin:/bin"], input: Int32? = nil, output: Int32? = nil
  ) throws(SystemError) -> ProcessID {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard nothing >= 0 else { throw SystemError("open /dev/null") }
    defer { close(nothing) }
    posix_spawn_file_actions_adddup2(&actions, input ?? nothing, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output ?? nothing, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output ?? nothing, STDERR_FILENO)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    // The server's user may not enter the runner's working directory, and initdb must know its own.
    posix_spawn_file_actions_addchdir_np(&actions, "/")

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    var allSignals = sigset_t()
    sigemptyset(&noSignals)
    sigfillset(&allSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setsigdefault(&attributes, &allSignals)
    posix_spawnattr_setflags(
      &attributes, shim_POSIX_SPAWN_SETSID | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup($0) } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var process = ProcessID()
    let status = posix_spawn(&process, arguments[0], &actions, &attributes, argv, envp)
    guard status == 0 else { throw SystemError("start \(arguments[0])", code: status) }
    return process
  }
}
