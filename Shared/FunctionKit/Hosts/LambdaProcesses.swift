import CLinux
import Glibc

/// The processes of an execution environment that takes several events at the same time.
///
/// A function handles one event after the other, over one connection to its database. So as many processes ask for
/// events as Lambda Managed Instances allow, and this one watches over them.
/// Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
enum LambdaProcesses {
  /// The variable with the number of events that an environment may have at once.
  static let variable = "AWS_LAMBDA_MAX_CONCURRENCY"
  /// Set for the processes that ask for events.
  private static let mark = "PUSH_FUNCTION_LAMBDA_PROCESS"

  /// Whether another process watches over this one, and has registered the extension.
  static func isWatched(_ environment: Environment) -> Bool { environment[mark] != nil }

  /// How many processes there have to be; 1 for each of them.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` for a value that is no number.
  static func number(_ environment: Environment) throws(FunctionError) -> Int {
    guard let text = environment[variable], !isWatched(environment) else { return 1 }
    guard let number = Int(text), 1...1_000 ~= number else {
      throw FunctionError(.misconfigured, "\(variable) must be a number from 1 to 1000, not \(text).")
    }
    return number
  }

  /// Starts them, and ends when they have: if one ends by itself, the others finish their events and end, too.
  static func watch(_ number: Int, _ log: Log) -> Never {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGCHLD)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    setenv(mark, "1", 1)
    var (processes, exit): (Set<pid_t>, Int32) = ([], 0)
    while processes.count < number, let process = start() { processes.insert(process) }
    var isEnding = processes.count < number
    if isEnding {
      log.error("A process cannot be started", ["error.cause": String(cString: strerror(errno))])
      exit = FunctionError.Code.unavailable.exitStatus
      processes.forEach { kill($0, SIGTERM) }
    }
    log.info("Several processes take events", ["processes": "\(processes.count)"])
    while !processes.isEmpty {
      var (signal, status): (Int32, Int32) = (0, 0)
      sigwait(&signals, &signal)
      while case let ended = waitpid(-1, &status, WNOHANG), ended > 0 {
        processes.remove(ended)
        guard !isEnding else { continue }
        (isEnding, exit) = (true, exitStatus(status))
        log.error("A process has ended, and the others end with it", ["exit": "\(exit)"])
        processes.forEach { kill($0, SIGTERM) }
      }
      if signal == SIGTERM, !isEnding {
        isEnding = true
        processes.forEach { kill($0, SIGTERM) }
      }
    }
    _exit(exit)
  }

  /// Starts this program once more; `nil` with the reason in `errno`.
  private static func start() -> pid_t? {
    var attributes = posix_spawnattr_t()
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    var process: pid_t = 0
    errno = posix_spawn(&process, "/proc/self/exe", nil, &attributes, CommandLine.unsafeArgv, environ)
    return errno == 0 ? process : nil
  }

  private static func exitStatus(_ status: Int32) -> Int32 {
    status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}
