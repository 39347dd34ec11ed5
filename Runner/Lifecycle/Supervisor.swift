import FunctionKit
import System

/// Looks after the parts of the runner that work as long as it serves.
///
/// None of them should end by itself. One that does is started again; one that cannot be ends the runner, so that
/// whatever keeps the runner can start it again.
@RunnerLoop
final class Supervisor {
  /// Before a part is started again.
  static let pause = Duration.seconds(1)

  private let log: Log
  private let pause: Duration
  private let fail: @RunnerLoop () -> Void
  private var tasks: [Task<Void, Never>] = []
  private var isStopping = false

  /// - Parameter fail: called when a part has ended that the runner cannot go on without.
  init(log: Log, pause: Duration = pause, fail: @escaping @RunnerLoop () -> Void) {
    (self.log, self.pause, self.fail) = (log, pause, fail)
  }

  /// Starts a part, and again whenever it ends.
  func keep(_ part: String, _ body: @escaping @RunnerLoop () async -> Void) {
    tasks.append(
      Task { [self] in
        while true {
          await body()
          guard !isStopping, !Task.isCancelled else { return }
          log.error("A part of the runner has ended and is started again", ["part": part])
          await Bell().wait(upTo: pause)
        }
      })
  }

  /// Starts a part whose state does not allow to start it again.
  ///
  /// - Returns: its end.
  func start(_ part: String, _ body: @escaping @RunnerLoop () async -> Void) -> Task<Void, Never> {
    let task = Task { [self] in
      await body()
      guard !isStopping else { return }
      log.error("A part of the runner has ended, without which it cannot go on", ["part": part])
      fail()
    }
    tasks.append(task)
    return task
  }

  /// From now on parts may end.
  func stop() { isStopping = true }

  /// Ends all parts.
  func cancel() {
    stop()
    tasks.forEach { $0.cancel() }
  }
}
