import Glibc
import System

extension Guard {
  private static let grace = Duration.seconds(1)
  private static let limit = Duration.milliseconds(1900)

  /// Ends every process with this entry, in rounds until none is left: SIGTERM at first sight, SIGKILL after a second.
  ///
  /// It does not miss a child that the runner was just starting. Until such a child becomes the worker, it holds a copy
  /// of the runner's end of the socket, so the guard's input ends later. Then the kernel shows an empty environment for
  /// a moment. So the guard looks until several rounds have found nothing.
  /// - Parameter rounds: how many; fewer will do if the runner starts nothing any more.
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
