import Manifest
import System
import Workers

/// How many calls of one function may be open.
package enum CallLimit: Sendable {
  /// Its processes' calls, and this many more that wait.
  case waiting(Int)
  /// As many calls as its `"concurrency"`: none waits.
  case concurrency

  @RunnerLoop
  func hasRoom(in pool: FunctionPool) -> Bool {
    switch self {
    case .waiting(let count): pool.load < count + pool.capacity
    case .concurrency: pool.load < pool.entry.concurrency
    }
  }
}
