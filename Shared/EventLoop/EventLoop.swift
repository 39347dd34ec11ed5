import CLinux
import Glibc
import Platform
import Synchronization

/// One epoll loop on one thread; also the executor of the actors bound to it.
///
/// An actor joins by `nonisolated let loop: EventLoop` and
/// `nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }`.
/// Its methods, handlers and timers then all run on this one thread. Closures made inside the actor may use its state
/// directly, others by `assumeIsolated`. Nothing that runs here may block.
///
/// One turn runs the handlers of ready descriptors, due timers, jobs and calls from other threads, and then what asked
/// to run at the turn's end. The thread lives until `stop()`, even without a reference to the loop. What has to do with
/// descriptors, timers and the turn is called on the loop only: elsewhere it traps.
package final class EventLoop: SerialExecutor, Sendable {
  let inbox = Mutex(Inbox())
  private let thread = Atomic<UInt>(0)
  private let wakeDescriptor: Int32

  // Only the loop's own thread uses it: every access follows `preconditionOnLoop`, or is in `run`.
  nonisolated(unsafe) let turn: LoopTurn

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: shown by `top -H` and debuggers; Linux keeps the first 15 bytes.
  ///   - lingering: how long the thread stays awake while an answer is expected, and after one. To fall asleep and wake up
  ///     takes tens of microseconds; a process may answer sooner, and its client may ask again. On a single processor
  ///     the thread falls asleep at once.
  package init(name: String, lingering: Duration = .zero) {
    wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    precondition(wakeDescriptor >= 0, "no eventfd: errno \(errno)")
    turn = LoopTurn(wakeDescriptor: wakeDescriptor, lingering: UInt64(max(0, lingering / .nanoseconds(1))))
    startThread(named: name)
  }

  deinit {
    close(wakeDescriptor)
  }

  /// Whether the caller runs on the loop's thread.
  package var isCurrent: Bool {
    thread.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// Runs a job of an actor bound to this loop; from any thread.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if inbox.withLock({ $0.add(job) }) { wake() }
  }

  /// Runs a call on the loop; from any thread, for those that cannot `await`.
  package func execute(_ body: @escaping @Sendable () -> Void) {
    if inbox.withLock({ $0.add(body) }) { wake() }
  }

  /// Ends the thread when everything that was enqueued has run, and releases its handlers and timers; from any thread.
  ///
  /// A job that is enqueued later never runs. Finish the work of the actors bound to this loop first.
  package func stop() {
    if inbox.withLock({ $0.stop() }) { wake() }
  }

  /// Traps unless the caller runs on the loop.
  ///
  /// `assumeIsolated` of a bound actor calls this.
  package func checkIsolated() {
    preconditionOnLoop()
  }

  /// Whether the caller may use the state of the actors bound to this loop.
  package func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  func preconditionOnLoop() {
    precondition(isCurrent, "not on the event loop's thread")
  }

  func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    while turn.perform(on: self) {}
    turn.clear()
  }

  private func wake() {
    _ = eventfd_write(wakeDescriptor, 1)
  }

  private func startThread(named name: String) {
    // The runner lets its loop take the signals that end it.
    let isStarted = BackgroundThread.start(takesSignals: true) { [self] in
      shim_name_this_thread(name)
      run()
    }
    precondition(isStarted, "no thread for an event loop: errno \(errno)")
  }

  /// Calls `body` on every turn in which the descriptor is ready (level-triggered).
  ///
  /// The loop does not own the descriptor: `unwatch` it before you close it. A handler may unwatch any descriptor; its
  /// handler is then not called, even if it was ready in the same turn. With an empty interest nothing is reported, not
  /// even a failure. Traps for a regular file, which epoll cannot watch, and for a descriptor that is watched already.
  package func watch(_ fd: Int32, for interest: Interest, _ body: @escaping (Interest) -> Void) {
    preconditionOnLoop()
    turn.poller.watch(fd, for: interest, body)
  }

  /// Changes what a watched descriptor is watched for; costs nothing when that is the same.
  package func update(_ fd: Int32, to interest: Interest) {
    preconditionOnLoop()
    turn.poller.update(fd, to: interest)
  }

  /// Ends the watch: its handler is not called again.
  ///
  /// Does nothing for a descriptor that is not watched.
  package func unwatch(_ fd: Int32) {
    preconditionOnLoop()
    turn.poller.unwatch(fd)
  }

  /// Calls `body` once when that time has passed (`CLOCK_MONOTONIC`), usually within a millisecond.
  @discardableResult
  package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerID {
    preconditionOnLoop()
    let (seconds, attoseconds) = delay.components
    let nanoseconds = seconds.clampedNanoseconds(adding: attoseconds / 1_000_000_000)
    return turn.timers.add(deadline: MonotonicClock.nanoseconds + nanoseconds, body)
  }

  /// Forgets a timer.
  ///
  /// Does nothing for one that has fired or was cancelled before.
  package func cancel(_ timer: TimerID) {
    preconditionOnLoop()
    turn.timers.cancel(timer)
  }

  /// Calls `body` once, after this turn's descriptors, timers and jobs.
  ///
  /// Write there what they have gathered.
  package func atEndOfTurn(_ body: @escaping () -> Void) {
    preconditionOnLoop()
    turn.endings.append(body)
  }

  /// A process has work and may answer soon, so the thread stays awake; call ``endExpecting()`` when it has none left.
  package func beginExpecting() {
    preconditionOnLoop()
    turn.expected += 1
  }

  /// A process has answered all of its work, or has ended.
  package func endExpecting() {
    preconditionOnLoop()
    turn.expected -= 1
  }
}

extension Int64 {
  /// Seconds as nanoseconds: at least 0, and at most about 146 years, so that a deadline never overflows.
  fileprivate func clampedNanoseconds(adding rest: Int64) -> UInt64 {
    let limit: Int64 = Int64.max / 2_000_000_000
    guard self < limit else { return UInt64(limit) * 1_000_000_000 }
    return UInt64(Swift.max(0, self * 1_000_000_000 + rest))
  }
}

/// The jobs that other threads hand to the loop, and whether the loop must be woken to see them.
struct Inbox {
  private var jobs: [UnownedJob] = []
  private var calls: [@Sendable () -> Void] = []
  private var isAsleep = false
  private(set) var isStopping = false

  var isEmpty: Bool { jobs.isEmpty && calls.isEmpty }

  /// Whether the loop must be woken.
  mutating func add(_ job: UnownedJob) -> Bool {
    jobs.append(job)
    return wake()
  }

  /// Whether the loop must be woken.
  mutating func add(_ call: @escaping @Sendable () -> Void) -> Bool {
    calls.append(call)
    return wake()
  }

  /// Whether the loop must be woken.
  mutating func stop() -> Bool {
    isStopping = true
    return wake()
  }

  /// Whether the loop may wait.
  ///
  /// From here until it takes the next batch, a caller that adds something must wake it.
  mutating func fallAsleep() -> Bool {
    isAsleep = isEmpty && !isStopping
    return isAsleep
  }

  /// Hands over what has arrived, and keeps the two empty arrays, so that their memory is used again.
  mutating func take(jobs: inout [UnownedJob], calls: inout [@Sendable () -> Void]) {
    isAsleep = false
    swap(&self.jobs, &jobs)
    swap(&self.calls, &calls)
  }

  private mutating func wake() -> Bool {
    defer { isAsleep = false }
    return isAsleep
  }
}
