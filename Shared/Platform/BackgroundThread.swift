import Glibc

/// A thread that may block.
package enum BackgroundThread {
  /// Starts a thread, which ends with its work.
  ///
  /// - Parameter takesSignals: whether it takes the signals that its caller takes, not only those of its own faults.
  ///   A signal that the process waits for with `sigwait` is lost if a thread takes it that neither blocks nor handles
  ///   it, and SIGTERM would then end the process.
  /// - Returns: whether the system has started it; if not, `errno` says why.
  @discardableResult
  package static func start(takesSignals: Bool = false, _ body: @escaping @Sendable () -> Void) -> Bool {
    final class Start {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    var (others, before) = (sigset_t(), sigset_t())
    sigfillset(&others)
    // By the last one Swift's runtime stops a thread while it reports the crash of another.
    for fault in [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGPROF] { sigdelset(&others, fault) }
    if !takesSignals { pthread_sigmask(SIG_SETMASK, &others, &before) }
    let error = pthread_create(
      &thread, nil,
      { start in
        guard let start else { return nil }
        Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    if !takesSignals { pthread_sigmask(SIG_SETMASK, &before, nil) }
    guard error == 0 else {
      start.release()
      errno = error
      return false
    }
    pthread_detach(thread)
    return true
  }
}
