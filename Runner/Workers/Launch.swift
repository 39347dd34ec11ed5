import CLinux
import Glibc
package import System

/// How a function's processes are started.
package struct Launch: Sendable, Equatable {
  package var executable: String
  package var arguments: [String]
  /// The whole environment; nothing is inherited.
  package var environment: [String: String]
  package var directory: String
  /// The files that a process reads once, as they were when this was written down: its executable, and an app's own texts.
  ///
  /// After a build, the same path is another launch.
  package var edition: [FileStamp?]

  package init(
    executable: String, arguments: [String] = [], environment: [String: String] = [:], directory: String,
    edition: [FileStamp?] = []
  ) {
    (self.executable, self.arguments, self.environment) = (executable, arguments, environment)
    (self.directory, self.edition) = (directory, edition)
  }

  /// The same, for a process that answers events line by line.
  var streaming: Launch {
    var launch = self
    launch.arguments.append("--stream")
    return launch
  }
}

/// A launch as the kernel takes it, made once for all the processes that are started with it.
@RunnerLoop
package final class Program {
  private var program = shim_program()
  private let words: CStrings
  private let variables: CStrings
  private let directory: CStrings

  package init(_ launch: Launch) {
    words = CStrings([launch.executable] + launch.arguments)
    variables = CStrings(launch.environment.map { "\($0.key)=\($0.value)" }.sorted())
    directory = CStrings([launch.directory])
    program.path = UnsafePointer(words.pointers[0])
    program.directory = UnsafePointer(directory.pointers[0])
    (program.arguments, program.environment) = (UnsafePointer(words.pointers), UnsafePointer(variables.pointers))
    program.handled = Self.handledSignals
  }

  /// Starts a process, which takes the place of every descendant's parent that ends.
  ///
  /// - Parameter streams: what becomes its stdin, stdout and stderr.
  func start(streams: [Int32]) throws(SpawnError) -> (processID: pid_t, descriptor: Int32) {
    var descriptor: Int32 = -1
    let result = shim_start(&program, streams, &descriptor)
    guard result > 0 else { throw SpawnError(errno: -result) }
    return (result, descriptor)
  }

  // What the runner sets itself, be it now or later, and whatever else it was started with.
  private static let handledSignals: sigset_t = {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in 1..<NSIG {
      var action = sigaction()
      let isKnown = sigaction(number, nil, &action) == 0
      let isHandled = isKnown && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 0
      if isHandled || [SIGHUP, SIGINT, SIGPIPE, SIGTERM].contains(number) { sigaddset(&signals, number) }
    }
    return signals
  }()
}

/// A null-terminated array of C strings, freed with its owner.
private final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() { (pointers + index).initialize(to: strdup(string)) }
    (pointers + count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }
}

/// Why a process could not be started.
package struct SpawnError: Error, CustomStringConvertible {
  let errno: Int32

  package init(errno: Int32) {
    self.errno = errno
  }

  package var description: String { String(cString: strerror(errno)) }

  /// Whether the same may succeed soon: the system is short of something, or the executable is just being written.
  var isPassing: Bool { [EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY].contains(errno) }
}

/// A process just started, with the parent's non-blocking ends of its pipes.
@RunnerLoop
struct Spawn {
  let processID: pid_t
  let processDescriptor: Int32
  /// Its stdin; -1 where that is closed already.
  let input: Int32
  let output: Int32
  let error: Int32
  /// How much of its whole input is in the pipe.
  let written: Int

  /// Starts a process as the leader of a new group, with nothing open but its three streams.
  ///
  /// - Parameter whole: all that it will ever read, `nil` where that is not known yet. What fits into the pipe is there
  ///   before the process is; if all of it does, its stdin is closed behind it.
  static func start(_ program: Program, input whole: [UInt8]?) throws(SpawnError) -> Spawn {
    var pipes = try Pipes()
    defer { pipes.closeChildEnds() }
    let written = whole.map { pipes.write($0) } ?? 0
    if written == whole?.count { pipes.closeInput() }
    do {
      let process = try program.start(streams: pipes.childEnds)
      return Spawn(
        processID: process.processID, processDescriptor: process.descriptor, input: pipes.parentEnds[0],
        output: pipes.parentEnds[1], error: pipes.parentEnds[2], written: written)
    } catch {
      pipes.closeParentEnds()
      throw error
    }
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
      _ = fcntl(parentEnds[stream], F_SETFL, O_NONBLOCK)
    }
  }

  /// Writes into the child's stdin what fits; there is no reader yet to take any of it.
  func write(_ bytes: [UInt8]) -> Int { max(0, Glibc.write(parentEnds[0], bytes, bytes.count)) }

  mutating func closeInput() {
    close(parentEnds[0])
    parentEnds[0] = -1
  }

  func closeChildEnds() { childEnds.forEach { close($0) } }
  func closeParentEnds() { for end in parentEnds where end >= 0 { close(end) } }
}
