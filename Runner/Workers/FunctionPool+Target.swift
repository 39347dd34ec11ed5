import Manifest
package import System

/// Where the events of a function go that runs elsewhere.
@RunnerLoop
package protocol EventTarget: AnyObject {
  /// Why nothing is sent there now, and what happens next; `nil` while events are sent.
  var outage: WorkerOutcome.Elsewhere? { get }

  /// Sends an event; its outcome comes once, never before this has returned.
  func send(_ job: Job, then done: @escaping @RunnerLoop (WorkerOutcome) -> Void)

  /// Asks again at the next event, whatever was wrong before.
  func forgive()

  /// Breaks off what is on its way: it ends at once, and may have arrived.
  func breakOff()
}

extension FunctionPool {
  /// Sends what waits to the function's target, as long as there is room.
  func hand(to target: any EventTarget) {
    while away.count < entry.concurrency, let job = nextToSend() {
      jobs.give(job, to: job)
      away[ObjectIdentifier(job)] = job
      target.send(job) { [self] outcome in
        away[ObjectIdentifier(job)] = nil
        jobs.release(job)
        job.finish(outcome)
        pump()
      }
    }
  }

  private func nextToSend() -> Job? {
    if jobs.firstAlone() != nil { return jobs.popFirstAlone() }
    return jobs.first { _ in false } == nil ? nil : jobs.popFirst()
  }

  /// Sends the function's events elsewhere from now on, or, with `nil`, to processes of its own.
  ///
  /// What is on its way ends as it will.
  package func use(_ target: (any EventTarget)?) {
    self.target = target
    if target != nil { workers.forEach { $0.leave() } }
    pump()
  }
}
