import CPostgres
import Glibc
import Platform

/// How long a request may take, and whether its task may end it.
struct Limit {
  var deadline: ContinuousClock.Instant?
  let isCancellable: Bool
  var isCancelled = false
  /// How often it may be extended while the server works.
  var extensions = 0

  init(after duration: Duration?, isCancellable: Bool = true) {
    deadline = duration.map { .now + $0 }
    self.isCancellable = isCancellable
  }
}

extension Session {
  /// Begins a request that may take as long as a number of statements: the server's limit for each, and some more.
  ///
  /// A request that cannot be cancelled has a limit even if the statements have none.
  func begin(statements: Int = 1, isCancellable: Bool = true) {
    let timeout = settings.statementTimeout ?? (isCancellable ? nil : .seconds(60))
    limit = Limit(after: timeout.map { $0 + Settings.grace }, isCancellable: isCancellable)
    limit.extensions = statements - 1
    hasSent = false
  }

  /// Whether the server is still there; asks it after a silence.
  ///
  /// A network that fails, or a proxy that stops, may not report it. Then a request would never be answered.
  func answers() -> Bool {
    guard .now - heard > Settings.silence else { return true }
    limit = Limit(after: Settings.probeLimit, isCancellable: false)
    return (try? script("")) != nil
  }

  /// Ends a request with its first failure.
  ///
  /// A cancelled request also ends its session, because the cancellation could still stop the next statement.
  func finish(_ failure: PostgresError?) throws(PostgresError) {
    if limit.isCancelled {
      isAbandoned = true
      throw PostgresError(.cancelled, "The task was cancelled.", outcomeIsUnknown: failure == nil)
    }
    if let failure { throw failure }
  }

  /// The next result; nil after the last one of a statement.
  func nextResult() throws(PostgresError) -> QueryResult? {
    try settle { PQisBusy(raw) == 0 }
    guard let result = PQgetResult(raw).map({ QueryResult($0) }) else { return nil }
    if result.isError, !isUsable || result.endsSession {
      isAbandoned = true
      var error = PostgresError(result)
      error.outcomeIsUnknown = hasSent
      throw error
    }
    return result
  }

  /// Sends and reads until a condition holds.
  func settle(until isSettled: () -> Bool) throws(PostgresError) {
    while true {
      let isSending = PQflush(raw) == 1
      if isSettled() { return }
      switch wait(for: isSending ? POLLIN | POLLOUT : POLLIN) {
      case .ready:
        guard PQconsumeInput(raw) == 1 else { throw lost() }
        heard = .now
      case .signalled where limit.isCancellable && !limit.isCancelled && Task.isCancelled:
        limit.isCancelled = true
        cancel()
      case .signalled: break
      case .late where limit.extensions > 0 && !limit.isCancelled && isServerWorking():
        limit.extensions -= 1
        limit.deadline = settings.statementTimeout.map { .now + $0 + Settings.grace }
        if limit.isCancellable, Task.isCancelled {
          limit.isCancelled = true
          cancel()
        }
      case .late: throw late()
      }
    }
  }

  enum Wait {
    case ready, signalled, late
  }

  /// Waits for the socket, the signal or the end of the limit.
  func wait(for events: Int32) -> Wait {
    var descriptors = [
      pollfd(fd: PQsocket(raw), events: Int16(events), revents: 0),
      pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      switch poll(&descriptors, 2, limit.pollTimeout) {
      case 0: return .late
      case 1... where descriptors[0].revents != 0: return .ready
      case 1...:
        signal.lower()
        return .signalled
      default: continue
      }
    }
  }

  private func late() -> PostgresError {
    isAbandoned = true
    if limit.isCancelled { return PostgresError(.cancelled, "The task was cancelled.", outcomeIsUnknown: hasSent) }
    var error = PostgresError(.timedOut, "The server did not answer in time.", outcomeIsUnknown: hasSent)
    error.isOfNetwork = true
    return error
  }

  /// Asks the server to stop the statement, and gives it some time to answer.
  private func cancel() {
    limit.deadline = .now + Settings.grace
    // The thread's alone.
    nonisolated(unsafe) let request = PQgetCancel(raw)
    // PQcancel blocks without limit when the server hangs.
    BackgroundThread.start {
      var message = [CChar](repeating: 0, count: 256)
      PQcancel(request, &message, Int32(message.count))
      PQfreeCancel(request)
    }
  }
}

extension Limit {
  /// The time left in milliseconds, rounded up; -1 for no limit.
  fileprivate var pollTimeout: Int32 {
    guard let deadline else { return -1 }
    let left = ContinuousClock.Instant.now.duration(to: deadline)
    return left <= .zero ? 0 : Int32(clamping: left.milliseconds + 1)
  }
}
