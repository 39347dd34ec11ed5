import Glibc
import Synchronization

/// Runs the jobs of one actor on its own thread, and also the jobs of tasks that would often wait for it.
///
/// libpq blocks, and a thread of the shared pool must not. (`DispatchSerialQueue` does not exist on Linux.)
final class ThreadExecutor: SerialExecutor, TaskExecutor {
  private let jobs = JobQueue()

  /// Starts the thread, which lives until ``stop()``.
  init() {
    let start = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { start in
        guard let start else { return nil }
        Unmanaged<ThreadExecutor>.fromOpaque(start).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
    precondition(error == 0, "The system refuses to start another thread.")
    pthread_detach(thread)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    jobs.push(UnownedJob(job))
  }

  /// Ends the thread after the jobs already enqueued.
  func stop() {
    jobs.push(nil)
  }

  private func run() {
    let (serial, task) = (asUnownedSerialExecutor(), asUnownedTaskExecutor())
    while let job = jobs.pop() { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
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

  func pop() -> UnownedJob? {
    while sem_wait(available) != 0 {}
    return jobs.withLock { $0.removeFirst() }
  }
}
