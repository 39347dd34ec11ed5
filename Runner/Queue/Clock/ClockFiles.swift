package import FunctionKit
import Glibc
import System

/// Files by which services follow the clock: `clock` in the folder that `{state}` stands for, `{"offset": SECONDS}`.
///
/// Each is there before anything runs by the time it says.
package struct ClockFiles {
  private var paths: [String] = []
  private var told: Double?

  package init() {}

  /// Adds a service's file; the folder is made where it is missing.
  package mutating func add(folder: String) {
    _ = mkdir(folder, 0o700)
    paths.append("\(folder)/clock")
  }

  /// Tells the services how many seconds the clock is ahead of real time, if they do not know yet.
  package mutating func tell(_ offset: Double, log: Log) {
    guard offset != told else { return }
    told = offset
    for path in paths {
      do {
        try TextFile.replace(path, with: "{\"offset\":\(offset)}\n")
      } catch {
        log.warning("A service does not know the time", ["file": path, "error.cause": "\(error)"])
      }
    }
  }
}
