import Glibc
import Platform
import Synchronization

/// Runs the jobs of one actor on its own thread, and also the jobs of ``tasks`` that would often wait for it.
///
/// libpq blocks, and a thread of the shared pool must not. (`DispatchSerialQueue` does not exist on Linux.)
final class ThreadExecutor: SerialExecutor {
  /// Runs the jobs of tasks that belong to no actor on the same thread.
  let tasks: any TaskExecutor
  private let jobs: JobQueue
  private let rest: Rest?
  private let mayRest = Atomic(false)

  /// The act of a thread to which no job has come for a while.
  struct Rest: Sendable {
    let after: Duration
    let work: @Sendable () -> Void
  }

  /// Starts the thread, which lives until ``stop()``.
  ///
  /// - Parameter rest: done once after each ``expectRest()``.
  init(rest: Rest? = nil) {
    self.rest = rest
    jobs = JobQueue()
    tasks = ThreadTasks(jobs)
    let isStarted = BackgroundThread.start { [self] in run() }
    precondition(isStarted, "The system refuses to start another thread.")
  }

  func enqueue(_ job: consuming ExecutorJob) {
    jobs.push(.ofActor(UnownedJob(job)))
  }

  /// Ends the thread after the jobs already enqueued.
  func stop() {
    jobs.push(.end)
  }

  /// From now on there is something to do when no job comes for a while.
  func expectRest() {
    if rest != nil { mayRest.store(true, ordering: .relaxed) }
  }

  private func run() {
    let (serial, task) = (asUnownedSerialExecutor(), tasks.asUnownedTaskExecutor())
    while true {
      // Only this thread sees whether a job came in time, and a thread that has rested sleeps until the next job.
      if let rest, mayRest.load(ordering: .relaxed), !jobs.wait(atMost: rest.after) {
        mayRest.store(false, ordering: .relaxed)
        rest.work()
        continue
      }
      switch jobs.pop() {
      case .ofActor(let job): job.runSynchronously(isolatedTo: serial, taskExecutor: task)
      case .ofTask(let job): job.runSynchronously(on: task)
      case .end: return
      }
    }
  }
}

/// Puts the jobs of tasks among those of the actor, but marks them.
///
/// A task whose job ran as the actor's would be put in the queue again at each call of a function that belongs to no
/// actor.
private final class ThreadTasks: TaskExecutor {
  private let jobs: JobQueue

  init(_ jobs: JobQueue) { self.jobs = jobs }

  func enqueue(_ job: consuming ExecutorJob) {
    jobs.push(.ofTask(UnownedJob(job)))
  }
}

/// Jobs in the order of their arrival.
// Only the semaphore is outside of the mutex. Any thread may post it or wait for it.
private final class JobQueue: @unchecked Sendable {
  enum Entry {
    case ofActor(UnownedJob)
    case ofTask(UnownedJob)
    case end
  }

  private let jobs = Mutex<[Entry]>([])
  private let available = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() {
    sem_init(available, 0, 0)
  }

  deinit {
    sem_destroy(available)
    available.deallocate()
  }

  func push(_ job: Entry) {
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

  func pop() -> Entry {
    while sem_wait(available) != 0 {}
    return jobs.withLock { $0.removeFirst() }
  }
}
