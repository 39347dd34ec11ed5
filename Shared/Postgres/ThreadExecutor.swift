import Glibc
import Platform
import Synchronization

/// Runs the jobs of one actor on its own thread, and also the jobs of tasks that would often wait for it.
///
/// libpq blocks, and a thread of the shared pool must not. (`DispatchSerialQueue` does not exist on Linux.)
final class ThreadExecutor: SerialExecutor, TaskExecutor {
  private let jobs = JobQueue()
  private let rest: Rest?
  private let mayRest = Atomic(false)

  /// What to do when no job has come for a while.
  struct Rest: Sendable {
    let after: Duration
    let work: @Sendable () -> Void
  }

  /// Starts the thread, which lives until ``stop()``.
  ///
  /// - Parameter rest: done once after each ``expectRest()``.
  init(rest: Rest? = nil) {
    self.rest = rest
    let isStarted = BackgroundThread.start { [self] in run() }
    precondition(isStarted, "The system refuses to start another thread.")
  }

  func enqueue(_ job: consuming ExecutorJob) {
    jobs.push(UnownedJob(job))
  }

  /// Ends the thread after the jobs already enqueued.
  func stop() {
    jobs.push(nil)
  }

  /// From now on there is something to do when no job comes for a while.
  func expectRest() {
    if rest != nil { mayRest.store(true, ordering: .relaxed) }
  }

  private func run() {
    let (serial, task) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
    while true {
      // Only this thread sees whether a job came in time, and a thread that has rested sleeps until the next job.
      if let rest, mayRest.load(ordering: .relaxed), !jobs.wait(atMost: rest.after) {
        mayRest.store(false, ordering: .relaxed)
        rest.work()
        continue
      }
      guard let job = jobs.pop() else { return }
      job.runSynchronously(isolatedTo: serial, taskExecutor: task)
    }
  }
}

/// Jobs in the order of their arrival; nil ends them.
// Only the semaphore is outside of the mutex. Any thread may post it or wait for it.
private final class JobQueue: @unchecked Sendable {
  private let jobs = Mutex<[UnownedJob?]>([])
  private let available = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() {
    sem_init(available, 0, 0)
  }

  deinit {
    sem_destroy(available)
    available.deallocate()
  }

  func push(_ job: UnownedJob?) {
    jobs.withLock { $0.append(job) }
    sem_post(available)
  }

  /// Waits for a job without taking it; `false` if none has come in time.
  func wait(atMost limit: Duration) -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let (seconds, attoseconds) = limit.components
    let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
    var end = timespec(
      tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    while sem_timedwait(available, &end) != 0 {
      if errno == ETIMEDOUT { return false }
    }
    // The job is still there.
    sem_post(available)
    return true
  }

  func pop() -> UnownedJob? {
    while sem_wait(available) != 0 {}
    return jobs.withLock { $0.removeFirst() }
  }
}
