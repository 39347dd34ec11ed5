import Glibc
import Synchronization

/// Runs a program's asynchronous body on the thread that calls it, instead of on a pool that would be started for it.
///
/// A process that handles one event and ends would spend a fifth of its life on starting the pool's threads. Nothing
/// here may wait for the main actor, whose thread this is.
final class CallingThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  // Semaphores are made to be used by several threads at once; this one is never freed, as the process ends with it.
  private nonisolated(unsafe) let waiting = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  private init() {
    sem_init(waiting, 0, 0)
  }

  /// Runs the body, which ends the process; what it awaits that belongs to no actor runs here, too.
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
    // There is no job where a signal has posted.
    let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    job?.runSynchronously(on: asUnownedTaskExecutor())
  }
}
