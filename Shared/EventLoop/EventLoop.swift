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
/// to run at the turn's end. The thread lives until `stop()`, even without a reference to the loop.
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
}
