import Glibc

/// A small process that outlives the runner.
///
/// When the runner ends in any way, it ends what the runner has started.
///
/// PR_SET_PDEATHSIG cannot do this: it fires when the thread that started the child ends, not the process.
package enum Guard {
  /// The byte that the runner writes before a normal end, when it has stopped PostgreSQL itself.
  static let goodbye: UInt8 = 0x2E

  /// The entry in the environment that marks the processes of a runner.
  static func marker(_ id: String) -> String { "PUSH_RUNNER_ID=\(id)" }

  /// Waits on standard input for the end of the runner, then cleans up.
  ///
  /// This is the hidden command `guard`.
  ///
  /// After a normal end, too, a process may be left: a function may have started it in a session of its own.
  ///
  /// - Parameter arguments: What follows `guard`: `--id ID [--project PATH]`.
  /// - Returns: The exit status: 0, or 64 for a wrong call.
  package static func main(_ arguments: some Collection<String>) -> Int32 {
    guard let order = GuardOrder(arguments) else { return 64 }
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGPIPE] { _ = Glibc.signal(signal, SIG_IGN) }
    let isAlone = runnerVanished()
    let end = ContinuousClock.now
    endProcesses(carrying: marker(order.id), since: end, rounds: isAlone ? 3 : 2)
    if isAlone, let project = order.project { stopPostgres(of: project, since: end) }
    return 0
  }

  /// `true` when the input ended, `false` when the runner said goodbye.
  private static func runnerVanished() -> Bool {
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      return count != 1 || byte != goodbye
    }
  }
}
