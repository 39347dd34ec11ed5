import EventLoop
import FunctionKit
import Gateway
import Queue
import System

extension Server {
  /// From now on a signal stops the runner in order, even while it starts.
  func followSignals() {
    Signals.watch { [self] in
      isEnding = true
      ended.signal()
      breakOff?()
    }
  }

  /// Waits for work, which a signal cancels.
  package func untilSignal<Answer: Sendable>(
    _ work: @escaping @RunnerLoop () async throws -> Answer
  ) async throws -> Answer {
    let task = Task { try await work() }
    breakOff = { task.cancel() }
    defer { breakOff = nil }
    if isEnding { task.cancel() }
    return try await task.value
  }

  /// Waits for a signal that asks the runner to end.
  ///
  /// Then, with `--drain`, shows balancers that it will end.
  ///
  /// Everything goes on until that time is over or another signal comes.
  package func waitForEnd() async {
    guard !isEnding else { return }
    while !isEnding { await ended.wait(upTo: .seconds(3_600)) }
    guard options.drainSeconds > 0 else { return }
    log.info("Draining", ["seconds": "\(options.drainSeconds)"])
    await ended.wait(upTo: .seconds(options.drainSeconds))
  }

  /// Whether calls and events should come to this runner.
  func readiness(of queue: EventQueue) -> Readiness {
    Readiness(problems: problems(of: queue), degraded: held.keys.filter { pools[$0] != nil }.sorted())
  }

  /// Why calls and events should not come to this runner; none if they should.
  func problems(of queue: EventQueue) -> [Readiness.Problem] {
    let state = queue.state()
    var problems: [Readiness.Problem] = []
    if isEnding { problems.append(.draining) }
    if state.isAway { problems.append(.database) }
    if !state.isReady { problems.append(.partitions) }
    return problems
  }
}
