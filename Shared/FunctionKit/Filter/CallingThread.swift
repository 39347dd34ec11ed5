import Glibc
import Synchronization

/// Runs a program's asynchronous body on the calling thread, so that no pool of threads must be started for it.
///
/// A process for one event would spend a fifth of its life on the start of the pool's threads. Nothing here may wait
/// for the main actor, because this is its thread.
final class CallingThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  // Several threads may use a semaphore at once. This one is never freed, because the process ends with it.
  private nonisolated(unsafe) let waiting = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  private init() {
    sem_init(waiting, 0, 0)
  }

  /// Runs the body, which ends the process.
  ///
  /// Code that it awaits and that belongs to no actor also runs here.
  ///
  /// - Parameter endsEarly: whether SIGTERM, once ``TerminationSignal`` takes it, cancels the body's task.
  static func run(endsEarly: Bool, _ body: @escaping @Sendable () async -> Never) -> Never {
    let thread = CallingThread()
    if endsEarly { TerminationSignal.semaphore = thread.waiting }
    let task = Task(executorPreference: thread) { await body() }
    while true {
      thread.runNext()
      if endsEarly, TerminationSignal.hasArrived { task.cancel() }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    sem_post(waiting)
  }

  private func runNext() {
    guard sem_wait(waiting) == 0 else { return }
    // There is no job if a signal has posted.
    let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    job?.runSynchronously(on: asUnownedTaskExecutor())
  }
}
