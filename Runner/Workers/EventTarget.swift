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
