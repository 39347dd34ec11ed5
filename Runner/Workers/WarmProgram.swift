import EventLoop
import FunctionKit
package import System

/// A program that answers questions in `--stream` processes, which stay for further ones, one question at a time each.
///
/// A question waits for no process: where all are at work, or none can answer, the caller has to ask in another way.
@RunnerLoop
package final class WarmProgram {
  /// How many processes there are, and how long each stays.
  package struct Limits: Sendable {
    /// The most processes at once.
    package var processes = 2
    /// A process that nobody has asked for so long ends.
    package var idle = Duration.seconds(60)
    /// A process is replaced after this many answers, so that a slow leak stays small.
    package var answers = 1_000

    package init() {}
  }

  /// The limit of a process, in seconds, which is never reached: each question has a shorter one of its own.
  private static let longest = 3_600

  private let limits: Limits
  private let onDeath: @RunnerLoop (_ command: String, _ ending: String) -> Void
  private var launch: Launch?
  private var workers: [WarmWorker] = []
  /// The last question to each process.
  private var commands: [ObjectIdentifier: String] = [:]
  private var backoff = RestartBackoff()
  private var sweep: TimerID?

  /// - Parameter onDeath: told of a process that ended though nobody had asked it to: the command that it was asked last,
  ///   and how it ended, such as `signal 9` or `exit 1`.
  package init(
    _ limits: Limits = Limits(), onDeath: @escaping @RunnerLoop (_ command: String, _ ending: String) -> Void
  ) {
    (self.limits, self.onDeath) = (limits, onDeath)
  }

  /// How many processes it has.
  package var processes: Int { workers.count }

  /// Asks a process: the event on its line has the words of a command as `words` in its data.
  ///
  /// - Parameters:
  ///   - command: what the command is called, for ``init(_:onDeath:)``.
  ///   - launch: how a process is started; one that was started in another way is asked nothing more.
  ///   - timeLimit: a process that is later is ended.
  /// - Returns: `nil` where nobody has answered, or what a process that stays would say alone may be old: another process
  ///   may be asked if the question changes nothing.
  package func ask(
    _ words: [String], of command: String, _ launch: Launch, timeLimit: Duration
  ) async -> CommandRun? {
    if launch != self.launch {
      leave()
      (self.launch, backoff) = (launch, RestartBackoff())
    }
    guard let worker = freeWorker() ?? start(launch) else { return nil }
    commands[ObjectIdentifier(worker)] = command
    return await withCheckedContinuation { done in
      let (question, id) = (Question(done), RandomID.make())
      let timer = RunnerLoop.loop.schedule(after: timeLimit) {
        var late = CommandRun()
        late.timedOut = true
        question.end(late)
        worker.terminate()
      }
      let job = Job(id: id, line: Self.line(words, id: id)) { [self] outcome in
        guard question.isOpen else { return }
        RunnerLoop.loop.cancel(timer)
        question.end(run(after: outcome, by: worker))
      }
      worker.take(job)
    }
  }

  /// Lets all processes end, after their answers.
  package func leave() { workers.forEach { $0.leave() } }

  private static func line(_ words: [String], id: String) -> [UInt8] {
    let data = RawJSON(object: [("words", RawJSON(array: words.map { RawJSON($0) }))])
    return Envelope(id: id, source: "/console", type: EventType.call, data: data).document.line
  }

  private func freeWorker() -> WarmWorker? { workers.first { !$0.isLeaving && $0.load == 0 } }

  private func start(_ launch: Launch) -> WarmWorker? {
    guard workers.count < limits.processes, backoff.wait(at: .now) == nil else { return nil }
    backoff.started(at: .now)
    let worker = try? WarmWorker(
      launch: launch, timeout: Self.longest, batch: nil, relay: StderrRelay { _ in }, onRelease: { _, _ in },
      onAnswer: { [self] worker, _ in
        if worker.answered >= limits.answers { worker.leave() }
        sweepLater()
      },
      onTimeOut: { _ in },
      onEnd: { [self] worker, unanswered, _ in
        workers.removeAll { $0 === worker }
        let command = commands.removeValue(forKey: ObjectIdentifier(worker))
        switch worker.death {
        case .signalled(let signal): onDeath(command ?? "", "signal \(signal)")
        case .exited(let status): onDeath(command ?? "", "exit \(status)")
        case nil: break
        }
        unanswered.forEach { $0.finish(WorkerOutcome(ending: .crashed(signal: 0))) }
      })
    if let worker { workers.append(worker) }
    return worker
  }

  /// The answer of a process; `nil` where it has given none.
  private func run(after outcome: WorkerOutcome, by worker: WarmWorker) -> CommandRun? {
    switch outcome.ending {
    case .exited(0, let document):
      backoff.succeeded()
      var run = CommandRun(status: 0)
      run.output = document.map { Array($0.bytes) } ?? []
      return run
    case .exited(let status, let error?):
      var run = CommandRun(status: status)
      run.complaint = error["message"]?.stringValue ?? ""
      guard outcome.disposition != .permanent else { return run }
      // What is away or wrong may be what the processes were started with, or what they have kept.
      leave()
      return worker.answered > 0 ? nil : run
    default:
      _ = backoff.died(startedAt: worker.started, at: .now)
      return nil
    }
  }

  /// Ends the processes that nobody asks any more: one timer is set for the one that has waited longest.
  private func sweepLater() {
    let waiting = workers.filter { !$0.isLeaving }.map { $0.load == 0 ? $0.idleSince : .now }
    guard sweep == nil, let longest = waiting.min() else { return }
    sweep = RunnerLoop.loop.schedule(after: max(.milliseconds(1), limits.idle - (.now - longest))) { [self] in
      sweep = nil
      for worker in workers where worker.load == 0 && .now - worker.idleSince >= limits.idle { worker.leave() }
      sweepLater()
    }
  }

  /// Somebody who waits for an answer, and gets one.
  @RunnerLoop
  private final class Question {
    private var asker: CheckedContinuation<CommandRun?, Never>?

    init(_ asker: CheckedContinuation<CommandRun?, Never>) { self.asker = asker }

    var isOpen: Bool { asker != nil }

    func end(_ run: CommandRun?) {
      asker?.resume(returning: run)
      asker = nil
    }
  }
}
