import CLinux
import Glibc
import Synchronization

/// The state of the loop's own thread, and one turn of it.
final class LoopTurn {
  var poller: Poller
  var timers = TimerHeap()
  var endings: [() -> Void] = []
  /// How many processes are expected to answer soon.
  var expected = 0 {
    didSet { hasAnswer = hasAnswer || expected < oldValue }
  }
  /// Whether one has answered since the thread last stayed awake: its client may ask again soon.
  private var hasAnswer = false
  private let lingering: UInt64
  private var wasBusy = false
  private var runningEndings: [() -> Void] = []
  private var jobs: [UnownedJob] = []
  private var calls: [@Sendable () -> Void] = []

  /// - Parameter lingering: in nanoseconds.
  init(wakeDescriptor: Int32, lingering: UInt64) {
    // On a single processor, a thread that stays awake keeps others from answering.
    self.lingering = Processors.available > 1 ? lingering : 0
    poller = Poller(wakeDescriptor: wakeDescriptor)
  }

  /// Runs one turn; returns whether there is to be another.
  func perform(on loop: EventLoop) -> Bool {
    let mayWait = loop.inbox.withLock { $0.fallAsleep() } && endings.isEmpty
    var count = mayWait && wasBusy ? linger() : 0
    if count == 0 { count = poller.wait(milliseconds: mayWait ? waitingTime : 0) }
    wasBusy = count > 0
    for index in 0..<count {
      if let event = poller.event(index) { event.body(event.ready) }
    }
    runDueTimers()
    runJobs(of: loop)
    runEndings()
    return loop.inbox.withLock { !$0.isStopping || !$0.isEmpty } || !endings.isEmpty
  }

  /// Stays awake for an answer that may come soon, or for the next question after one.
  ///
  /// It does not yield: beside busy programs it would lose the rest of its time slice.
  private func linger() -> Int {
    guard lingering > 0, expected > 0 || hasAnswer else { return 0 }
    hasAnswer = false
    let end = MonotonicClock.nanoseconds + lingering
    repeat {
      let count = poller.wait(milliseconds: 0)
      if count > 0 { return count }
    } while MonotonicClock.nanoseconds < end
    return 0
  }

  /// Releases everything, so that no handler keeps its owner alive.
  func clear() {
    poller.removeAll()
    timers = TimerHeap()
    endings = []
  }

  /// Milliseconds until the next timer, rounded up, so that it is due when the wait ends; -1 without timers.
  private var waitingTime: Int32 {
    guard let deadline = timers.earliestDeadline else { return -1 }
    let now = MonotonicClock.nanoseconds
    guard deadline > now else { return 0 }
    return Int32(clamping: (deadline - now + 999_999) / 1_000_000)
  }

  private func runDueTimers() {
    guard timers.earliestDeadline != nil else { return }
    let now = MonotonicClock.nanoseconds
    while let body = timers.popDue(at: now) { body() }
  }

  private func runJobs(of loop: EventLoop) {
    loop.inbox.withLock { $0.take(jobs: &jobs, calls: &calls) }
    let executor = loop.asUnownedSerialExecutor()
    for job in jobs { job.runSynchronously(on: executor) }
    for call in calls { call() }
    jobs.removeAll(keepingCapacity: true)
    calls.removeAll(keepingCapacity: true)
  }

  private func runEndings() {
    guard !endings.isEmpty else { return }
    swap(&endings, &runningEndings)
    for body in runningEndings { body() }
    runningEndings.removeAll(keepingCapacity: true)
  }
}

enum MonotonicClock {
  static var nanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

private enum Processors {
  /// How many processors this process may use.
  static var available: Int {
    var mask = [UInt64](repeating: 0, count: 128)
    let isKnown = sched_getaffinity(0, UInt(mask.count * 8), &mask) == 0
    return isKnown ? mask.reduce(0) { $0 + $1.nonzeroBitCount } : 1
  }
}
