package import FunctionKit
import HTTP1
package import System

/// The memory that all bodies of requests use together.
@RunnerLoop
package final class BodyMemory {
  /// The environment variable with the limit in MiB.
  package nonisolated static let variable = "RUNNER_BODY_MEMORY"
  package nonisolated static let usual = 64

  /// The limit in bytes.
  let limit: Int
  private(set) var used = 0
  private var freed = FreedMemory()

  package nonisolated init(mebibytes: Int = BodyMemory.usual) {
    limit = mebibytes << 20
  }

  /// The limit that an environment sets.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` for a value that is not a number of MiB.
  package nonisolated static func mebibytes(_ environment: FunctionKit.Environment) throws(FunctionError) -> Int {
    guard let text = environment[variable] else { return usual }
    guard let count = Int(text), 1...1_048_576 ~= count else {
      throw FunctionError(.misconfigured, "\(variable) must be a whole number of MiB from 1 to 1048576, not \(text).")
    }
    return count
  }

  func hasRoom(for count: Int) -> Bool { count <= limit - used }

  func take(_ count: Int) {
    used += count
    freed.note(used)
  }

  func give(_ count: Int) { used -= count }

  /// Whether there is memory to give back to the system.
  var isWorthTrimming: Bool { freed.isWorthTrimming }

  /// Gives the memory of bodies back to the system, when there are no bodies.
  func trimWhenIdle() {
    if used == 0 { freed.trim() }
  }
}
