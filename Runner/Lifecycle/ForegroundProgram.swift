import CLinux
import Glibc
package import System
package import Workers

/// A program that runs in the foreground beside the server and shares its terminal.
@RunnerLoop
package enum ForegroundProgram {
  /// Runs it until it ends; a cancelled task asks it to end.
  ///
  /// - Returns: its exit status, or 128 and the number of the signal that ended it.
  package static func run(
    _ executable: String, _ arguments: [String], environment: [String: String]
  ) async throws(SpawnError) -> Int32 {
    var words = ([executable] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    var process: pid_t = 0
    let result = posix_spawn(&process, executable, &actions, nil, &words, &variables)
    guard result == 0 else { throw SpawnError(errno: result) }
    return await withTaskCancellationHandler {
      await ProcessEnd.status(of: process)
    } onCancel: { [process] in
      // The task is cancelled on the loop, too, so the process is not reaped before this scope ends.
      kill(process, SIGTERM)
    }
  }
}
