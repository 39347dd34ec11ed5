import Glibc
import LocalPostgres
import System

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

extension Guard {
  private static let grace = Duration.seconds(1)
  private static let limit = Duration.milliseconds(1900)

  /// Ends every process with this entry, in rounds until none is left: SIGTERM at first sight, SIGKILL after a second.
  ///
  /// It does not miss a child that the runner was just starting. Until such a child becomes the worker, it holds a copy
  /// of the runner's end of the socket, so the guard's input ends later. Then the kernel shows an empty environment for
  /// a moment. So the guard looks until several rounds have found nothing.
  /// - Parameter rounds: how many; fewer are enough if the runner starts nothing any more.
  static func endProcesses(carrying entry: String, since start: ContinuousClock.Instant, rounds: Int = 3) {
    var asked: Set<pid_t> = []
    var groups: Set<pid_t> = []
    var emptyRounds = 0
    while ContinuousClock.now - start < limit {
      let found = MarkedProcesses.carrying(entry)
      emptyRounds = found.isEmpty ? emptyRounds + 1 : 0
      guard emptyRounds < rounds else { break }
      let patient = ContinuousClock.now - start < grace
      for process in found where !patient || asked.insert(process).inserted {
        if getpgid(process) == process { groups.insert(process) }
        signalBoth(process, group: groups.contains(process), patient ? SIGTERM : SIGKILL)
      }
      groups = groups.filter { kill(-$0, 0) == 0 }
      _ = poll(nil, 0, 10)
    }
    // Members of a worker's group that have dropped the marker and outlived the worker.
    for group in groups { _ = kill(-group, SIGKILL) }
  }

  private static func signalBoth(_ process: pid_t, group: Bool, _ signal: Int32) {
    _ = kill(group ? -process : process, signal)
  }
}

extension Guard {
  /// Stops the project's PostgreSQL within 5 seconds after the runner's end, unless another runner uses or starts it.
  ///
  /// A fast shutdown that takes too long becomes an immediate one, which loses nothing that was committed.
  static func stopPostgres(of project: String, since start: ContinuousClock.Instant) {
    guard let layout = try? ClusterLayout(project: project), let locks = try? ClusterLocks(layout) else { return }
    guard Polling.block(until: start + .seconds(3), { locks.starting.take(.exclusive) }) else { return }
    // The kernel closes the runner's descriptors one by one: its lock may go a moment after its end of the socket.
    let alone = Polling.block(until: ContinuousClock.now + .milliseconds(300)) { locks.using.take(.exclusive) }
    guard alone, let postmaster = Postmaster.running(in: layout.data) else { return }
    unlink(layout.urlFile)
    postmaster.send(SIGINT)
    if Polling.block(until: start + .seconds(4), { !postmaster.isRunning }) { return }
    postmaster.send(SIGQUIT)
    _ = Polling.block(until: start + .seconds(10)) { !postmaster.isRunning }
  }
}
