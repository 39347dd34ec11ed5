import Glibc

/// A thread that may block.
///
/// It takes no signals. A signal that the process waits for with `sigwait` is lost where a thread takes it that neither
/// blocks nor handles it, and SIGTERM would then end the process.
package enum BackgroundThread {
  /// - Returns: whether the system has started the thread.
  @discardableResult
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    final class Start {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let error = pthread_create(
      &thread, nil,
      { start in
        guard let start else { return nil }
        Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    if error == 0 { pthread_detach(thread) } else { start.release() }
    return error == 0
  }
}
