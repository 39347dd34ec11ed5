@testable import Queue

extension NotifyGateModel {
  var steps: [(name: StepName, next: Self)] {
    var steps: [(StepName, Self)] = []
    func step(_ name: StepName, _ change: (inout Self) -> Void) {
      var next = self
      change(&next)
      steps.append((name, next))
    }
    for index in writers.indices { write(index, step) }
    if let poll {
      if poll.releases {
        step(StepName("gives its locks back")) { $0.release() }
      } else if !poll.takes.isEmpty {
        step(StepName("tries the locks")) { $0.take() }
      } else {
        step(StepName("reads")) { $0.read(as: poll) }
      }
      if scope.failures > 0 { fail(step) }
    } else {
      if gate.poll != nil || isNotified {
        step(StepName("begins a poll")) { $0.begin(settles: false) }
        if scope.settlings > 0 {
          step(StepName("begins a poll that settles")) {
            $0.scope.settlings -= 1
            $0.begin(settles: true)
          }
        }
      }
      if scope.partitionChanges > 0 {
        // A poll follows at once: `EventEngine.run()`.
        step(StepName("gets or loses partition 1")) {
          $0.scope.partitionChanges -= 1
          ($0.partitions, $0.isNotified) = ($0.partitions == [0] ? [0, 1] : [0], true)
        }
      }
    }
    if !lostLocks.isEmpty {
      step(StepName("is told by the server that the old session has ended")) { $0.lostLocks = [] }
    }
    if scope.windows > 0 {
      step(StepName("lets a moment pass")) {
        $0.scope.windows -= 1
        $0.now += NotifyGate.window
      }
    }
    return steps
  }

  /// The number, the try of the lock, and the commit.
  ///
  /// A NOTIFY is sent after the commit can be seen (`AtCommit_Notify`).
  private func write(_ index: Int, _ step: (StepName, (inout Self) -> Void) -> Void) {
    switch writers[index].phase {
    case .idle:
      step(StepName(index, "takes a transaction number")) {
        ($0.writers[index].number, $0.writers[index].phase) = ($0.nextNumber, .running)
        $0.nextNumber += 1
      }
    case .running:
      if locks.union(lostLocks).contains(writers[index].partition) {
        step(StepName(index, "finds the lock taken")) {
          ($0.writers[index].notifies, $0.writers[index].phase) = (true, .sure)
        }
      } else {
        step(StepName(index, "finds the lock free, and has it")) { $0.writers[index].phase = .trying }
      }
    case .trying:
      step(StepName(index, "gives the lock back")) { $0.writers[index].phase = .sure }
    case .sure:
      step(StepName(index, "commits")) {
        $0.latestCompleted = max($0.latestCompleted, $0.writers[index].number)
        $0.writers[index].phase = $0.writers[index].notifies ? .committed : .ended
      }
    case .committed:
      step(StepName(index, "is heard")) {
        $0.writers[index].phase = .ended
        // `EventEngine.heard()`.
        if !$0.gate.isAwake { $0.isNotified = true }
      }
    case .ended: break
    }
  }

  private func fail(_ step: (StepName, (inout Self) -> Void) -> Void) {
    step(StepName("has its poll fail")) { $0.fail() }
    step(StepName("loses its session")) {
      $0.fail()
      ($0.locks, $0.isNewSession) = ([], true)
    }
    step(StepName("loses its session, and the server does not know")) {
      $0.fail()
      ($0.lostLocks, $0.locks, $0.isNewSession) = ($0.lostLocks.union($0.locks), [], true)
    }
  }
}
