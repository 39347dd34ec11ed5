import FunctionKit
import Glibc
import System

/// Files by which services follow the clock: `clock` in the folder that `{state}` stands for, `{"offset": SECONDS}`.
///
/// Each is there before anything runs by the time it says.
@BlockingThread
final class ClockFiles {
  private var paths: [String] = []

  nonisolated init() {}

  /// Adds a service's file; the folder is made where it is missing.
  func add(folder: String) {
    _ = mkdir(folder, 0o700)
    paths.append("\(folder)/clock")
  }

  /// Writes for the services how many seconds the clock is ahead of real time.
  func write(_ offset: Double, log: Log) {
    for path in paths {
      do {
        try TextFile.replace(path, with: "{\"offset\":\(offset)}\n")
      } catch {
        log.warning("A service does not know the time", ["file": path, "error.cause": "\(error)"])
      }
    }
  }
}
