import CLinux
import Glibc

/// Why a process could not be started.
struct SpawnError: Error, CustomStringConvertible {
  let errno: Int32
  var description: String { String(cString: strerror(errno)) }

  /// Whether the same may succeed soon: the system is short of something, or the executable is just being written.
  var isPassing: Bool { [EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY].contains(errno) }
}

/// A process just started, with the parent's non-blocking ends of its pipes.
struct Spawn {
  let processID: pid_t
  let input: Int32
  let output: Int32
  let error: Int32

  /// Starts a process as the leader of a new group, with nothing open but its three streams.
  static func start(_ launch: Launch) throws(SpawnError) -> Spawn {
    let pipes = try Pipes()
    defer { pipes.closeChildEnds() }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (index, end) in pipes.childEnds.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, end, Int32(index))
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    posix_spawn_file_actions_addchdir_np(&actions, launch.directory)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let words = CStrings([launch.executable] + launch.arguments)
    let variables = CStrings(launch.environment.map { "\($0.key)=\($0.value)" }.sorted())
    var processID: pid_t = 0
    let result = posix_spawn(
      &processID, launch.executable, &actions, &attributes, words.pointers, variables.pointers)
    guard result == 0 else {
      pipes.closeParentEnds()
      throw SpawnError(errno: result)
    }
    for end in pipes.parentEnds { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    return Spawn(
      processID: processID, input: pipes.parentEnds[0], output: pipes.parentEnds[1], error: pipes.parentEnds[2])
  }
}

/// The three pipes between a process and its parent.
private struct Pipes {
  private(set) var childEnds: [Int32] = []
  private(set) var parentEnds: [Int32] = []

  init() throws(SpawnError) {
    for stream in 0..<3 {
      var ends: [Int32] = [-1, -1]
      guard pipe2(&ends, O_CLOEXEC) == 0 else {
        let reason = errno
        closeChildEnds()
        closeParentEnds()
        throw SpawnError(errno: reason)
      }
      childEnds.append(ends[stream == 0 ? 0 : 1])
      parentEnds.append(ends[stream == 0 ? 1 : 0])
    }
  }

  func closeChildEnds() { childEnds.forEach { close($0) } }
  func closeParentEnds() { parentEnds.forEach { close($0) } }
}

/// A null-terminated array of C strings, freed with its owner.
private final class CStrings {
  let pointers: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [String]) {
    pointers = strings.map { strdup($0) } + [nil]
  }

  deinit {
    pointers.forEach { free($0) }
  }
}
