import Manifest
package import System

/// Where the events of a function go that runs elsewhere.
@RunnerLoop
package protocol EventTarget: AnyObject {
  /// Why nothing is sent there now, and what happens next; `nil` while events are sent.
  var outage: WorkerOutcome.Elsewhere? { get }

  /// Sends events with one request; each has its outcome once, never before this has returned.
  func send(_ jobs: [Job], then done: @escaping @RunnerLoop (Job, WorkerOutcome) -> Void)

  /// Asks again at the next event, whatever was wrong before.
  func forgive()

  /// Breaks off what is on its way: it ends at once, and may have arrived.
  func breakOff()
}

extension FunctionPool {
  /// The bytes of events that a request has at most; one event alone may be larger.
  private static let mostBytes = 1 << 20

  /// Sends what waits to the function's target, as long as there is room.
  func hand(to target: any EventTarget) {
    while away.count < entry.concurrency, let first = nextToSend() {
      let request = ObjectIdentifier(first)
      away[request] = gather(behind: first)
      let sent = away[request] ?? []
      if entry.batch != nil { onBatch?(sent.count) }
      target.send(sent) { [self] job, outcome in
        away[request]?.removeAll { $0 === job }
        if away[request]?.isEmpty == true { away[request] = nil }
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

  /// An event with those that share its request: none that has failed before, and none for whose answer somebody waits.
  private func gather(behind first: Job) -> [Job] {
    var (gathered, bytes) = ([first], first.line.count)
    jobs.give(first, to: first)
    guard let most = entry.batch, first.mayShare else { return gathered }
    while gathered.count < most, let next = jobs.first(where: { _ in false })?.job, next.mayShare,
      bytes + next.line.count <= Self.mostBytes
    {
      _ = jobs.popFirst()
      jobs.give(next, to: first)
      gathered.append(next)
      bytes += next.line.count
    }
    return gathered
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

extension Job {
  fileprivate var mayShare: Bool { trigger == .queue && !isRepeated && !isAlone }
}
