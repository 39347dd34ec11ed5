import CLinux
import Glibc
package import System

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
