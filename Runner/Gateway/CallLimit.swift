import Manifest
import System
import Workers

/// How many calls of one function may be open.
package enum CallLimit: Sendable {
  /// As many as its processes take, and this many more that wait.
  case waiting(Int)
  /// Its `"concurrency"`: none waits.
  case concurrency

  @RunnerLoop
  func hasRoom(in pool: FunctionPool) -> Bool {
    switch self {
    case .waiting(let count): pool.load < count + pool.capacity
    case .concurrency: pool.load < pool.entry.concurrency
    }
  }
}
