import Glibc
import Synchronization
import Tracing

/// Answers Lambda for the present event: with what the function says, or, shortly before Lambda ends the process, with
/// what is true then.
///
/// A process that could not end its event in time ends itself, so that its transaction ends, too.
final class LambdaDeadline: Sendable {
  typealias Answer = Result<[UInt8], FunctionError>

  /// How long before Lambda's time limit the answer is sent.
  private static let margin: Int64 = 300

  private let api: RuntimeAPI
  private let log: Log
  private let state = Mutex(State())
  /// Posted when there is another event, and when it was answered.
  // Several threads may use a semaphore at once. This one is never freed, because the process ends with it.
  private nonisolated(unsafe) let changed = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  fileprivate struct State {
    var id: String?
    var deadline: Int64?
    var late: @Sendable () -> Answer = { .success([]) }
  }

  init(_ api: RuntimeAPI, _ log: Log) {
    (self.api, self.log) = (api, log)
    sem_init(changed, 0, 0)
    guard BackgroundThread.start({ [self] in watch() }) else {
      log.error("The function cannot start", ["error.cause": "The system refuses to start another thread."])
      _exit(FunctionError.Code.unavailable.exitStatus)
    }
  }

  /// - Parameter late: the answer if the time is over first.
  func begin(_ invocation: RuntimeAPI.Invocation, late: Answer) {
    state.withLock { $0 = State(id: invocation.id, deadline: invocation.deadline, late: { late }) }
    sem_post(changed)
  }

  /// Replaces the answer for the case that the time is over first; it is made only then.
  func update(late: @escaping @Sendable () -> Answer) { state.withLock { $0.late = late } }

  /// Sends the answer.
  func finish(_ answer: Answer) {
    guard let id = state.withLock({ $0.take() }) else {
      // The time is over, and the other thread ends the process.
      while true { pause() }
    }
    send(answer, for: id)
  }

  private func watch() {
    while true {
      guard let deadline = state.withLock({ $0.id == nil ? nil : $0.deadline }) else {
        sem_wait(changed)
        continue
      }
      let end = max(0, deadline - Self.margin)
      var time = timespec(tv_sec: Int(end / 1_000), tv_nsec: Int(end % 1_000) * 1_000_000)
      // It ends early when there is another event; then its deadline is read.
      if sem_timedwait(changed, &time) == 0 || errno != ETIMEDOUT { continue }
      let (id, late) = state.withLock { state in
        state.deadline == deadline ? (state.take(), state.late) : (nil, state.late)
      }
      guard let id else { continue }
      log.error("The function reached its time limit", ["event.id": id])
      send(late(), for: id)
      _exit(FunctionError.Code.unavailable.exitStatus)
    }
  }

  private func send(_ answer: Answer, for id: String) {
    let refusal: RuntimeAPI.Refusal? =
      switch answer {
      case .success(let result) where result.count > RuntimeAPI.mostBytes:
        api.fail(id, FunctionError(.failed, "The result is larger than \(RuntimeAPI.mostBytes) bytes."))
      case .success(let result): api.respond(to: id, result)
      case .failure(let error): api.fail(id, error)
      }
    guard let refusal else { return }
    log.error("Lambda's Runtime API refuses an answer", ["event.id": id, "error.cause": refusal.reason])
    if refusal.status == 413 { _ = api.fail(id, FunctionError(.failed, "The result is too large.")) }
  }
}

extension LambdaDeadline.State {
  /// The event that is still to be answered; from now on it is not.
  fileprivate mutating func take() -> String? {
    defer { id = nil }
    return id
  }
}
