import EventLoop
import FunctionKit
import System

/// A `--stream` process with the events in its queue.
///
/// Events are written ahead, so that the process never waits for the next one; answers come in the same order. The
/// time limit of an event begins when it is first in the queue, and a crash counts against that event only: the others
/// go back to the pool. A process of a function with batches gets a batch at once, and the next one when it has answered
/// all of it. A crash then counts against nobody where several events are unanswered.
@RunnerLoop
final class WarmWorker {
  /// How many events are written ahead at most, where there are no batches.
  static let window = 16
  /// When this many bytes are written ahead, no further event is.
  static let mostAhead = 1 << 20
  /// The size of the pipe to a process with batches, in bytes: it reads a larger batch in parts.
  private static let wholeBatch: Int32 = 1 << 18
  private static let tooMuch = "The function wrote more than \(OneShotRun.mostOutput) bytes on stdout."

  /// Why it is ended at once and not listened to any more.
  private enum Verdict {
    /// Its first event ends like this.
    case blames(WorkerOutcome.Ending)
    /// No event in the queue has to do with it.
    case blamesNobody
  }

  let started = ContinuousClock.now
  private let process: ChildProcess
  var processID: ProcessID { process.processID }
  private let relay: StderrRelay
  private let timeout: Int
  private let batch: Int?
  private let onEnd: @RunnerLoop (WarmWorker, [Job], WorkerOutcome.Ending?) -> Void
  private let onRelease: @RunnerLoop (WarmWorker, Job) -> Void
  private let onTimeOut: @RunnerLoop (WarmWorker) -> Void
  private let onAnswer: @RunnerLoop (WarmWorker, Int32) -> Void
  /// Told of each batch that it is handed, with the number of its events.
  var onBatch: (@RunnerLoop (Int) -> Void)?
  private var waiting: [Job] = []
  private var bytesAhead = 0
  private var output: [UInt8] = []
  private var lastAnswered: String?
  private var headStarted = ContinuousClock.now
  private var timer: TimerID?
  private var verdict: Verdict?
  private var isTerminated = false
  /// Whether its batch has not been written yet, and may grow.
  private var isFilling = false
  private(set) var answered = 0
  private(set) var idleSince = ContinuousClock.now
  /// Whether it was told to end and takes nothing more.
  private(set) var isLeaving = false
  /// Whether it has one event only, and no other before or after it.
  private(set) var isAlone = false
  /// How it ended though nobody had asked it to; `nil` while it has not.
  private(set) var death: ChildProcess.Exit?

  /// How many events its queue has.
  var load: Int { waiting.count }

  /// The ids of the events that it works on: of a batch, all that are unanswered.
  var handled: [String] { (batch == nil ? waiting.prefix(1) : waiting[...]).map(\.id) }

  /// Whether another event may be put in its queue.
  var hasRoom: Bool {
    !isLeaving && waiting.count < batch ?? Self.window && bytesAhead < Self.mostAhead
      && (batch == nil || waiting.isEmpty || isFilling)
  }

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - batch: how many events it is handed at once, at most.
  ///   - onRelease: called before an event is finished.
  ///   - onAnswer: called after each answer with its exit status: there is room again.
  ///   - onTimeOut: called when an event has run out of time.
  ///   - onEnd: called when the process has ended, with the events that another one must take, and with how it ended
  ///     where one of these events, nobody knows which, is to blame.
  init(
    launch: Launch, timeout: Int, batch: Int?, relay: StderrRelay,
    onRelease: @escaping @RunnerLoop (WarmWorker, Job) -> Void,
    onAnswer: @escaping @RunnerLoop (WarmWorker, Int32) -> Void,
    onTimeOut: @escaping @RunnerLoop (WarmWorker) -> Void,
    onEnd: @escaping @RunnerLoop (WarmWorker, [Job], WorkerOutcome.Ending?) -> Void
  ) throws(SpawnError) {
    self.relay = relay
    self.timeout = timeout
    self.batch = batch
    self.onRelease = onRelease
    self.onAnswer = onAnswer
    self.onTimeOut = onTimeOut
    self.onEnd = onEnd
    process = try ChildProcess(Program(launch.streaming))
    if batch != nil { process.widenInput(to: Self.wholeBatch) }
    process.watch(
      output: { [self] in receive($0) }, error: { relay.receive($0) }, exit: { [self] in ended($0) })
    process.watchOutputs()
  }

  func take(_ job: Job) {
    waiting.append(job)
    bytesAhead += job.line.count
    if waiting.count == 1 {
      RunnerLoop.loop.beginExpecting()
      startHead()
      if batch != nil { fill() }
    }
    process.write(job.line)
  }

  /// Takes the only event that it ever gets.
  func takeAlone(_ job: Job) {
    isAlone = true
    take(job)
    leave()
  }

  /// Lets the batch grow until it is written, which is at the end of the loop's turn as well.
  private func fill() {
    isFilling = true
    RunnerLoop.loop.atEndOfTurn { [self] in
      isFilling = false
      onBatch?(waiting.count)
    }
  }

  /// Lets it finish its queue and end.
  func leave() {
    guard !isLeaving else { return }
    isLeaving = true
    process.closeInput()
    if waiting.isEmpty { process.terminate(sparingEscapees: true) }
  }

  /// Ends it now: what it does not answer within the grace goes back to the pool.
  func terminate() {
    (isLeaving, isTerminated) = (true, true)
    process.terminate()
  }

  private func dismiss(_ verdict: Verdict, grace: Duration) {
    guard self.verdict == nil else { return }
    self.verdict = verdict
    isLeaving = true
    process.terminate(grace: grace)
  }

  private func startHead() {
    headStarted = .now
    relay.reset(for: waiting.first?.id)
    if timer == nil { watchHead() }
  }

  /// Sets one timer for whatever is first in the line: it is set again when it finds a younger event, not for each.
  private func watchHead() {
    timer = RunnerLoop.loop.schedule(after: .seconds(timeout) - (.now - headStarted)) { [self] in
      timer = nil
      guard !waiting.isEmpty, verdict == nil else { return }
      guard .now - headStarted >= .seconds(timeout) else { return watchHead() }
      dismiss(.blames(.timedOut(seconds: timeout)), grace: .seconds(2))
      onTimeOut(self)
    }
  }

  private func receive(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while verdict == nil, let end = rest.lineEnd {
      if output.isEmpty {
        answer(rest[..<end])
      } else {
        output += rest[..<end]
        let line = output
        output = []
        answer(line[...])
      }
      rest = rest[(end + 1)...]
    }
    guard verdict == nil else { return output = [] }
    output += rest
    if output.count > OneShotRun.mostOutput { breakOff(Self.tooMuch) }
  }

  private func answer(_ line: ArraySlice<UInt8>) {
    guard line.count <= OneShotRun.mostOutput else { return breakOff(Self.tooMuch) }
    let answer = StreamAnswer(line)
    // Answering twice is not the fault of the event that is first by now.
    if let id = answer?.id, id == lastAnswered, id != waiting.first?.id { return dismiss(.blamesNobody, grace: .zero) }
    guard let job = waiting.first else { return breakOff("The function wrote on stdout without being asked.") }
    guard let answer, answer.isMeant(for: job.id) else {
      return breakOff("The function's stdout is not the answer to its event.")
    }
    lastAnswered = job.id
    // What it wrote before its answer is taken note of first.
    if answer.exit != 0 { process.deliverErrors() }
    finishHead(.exited(answer.exit, output: answer.output))
    answered += 1
    if isLeaving, waiting.isEmpty { process.terminate(sparingEscapees: true) }
    onAnswer(self, answer.exit)
  }

  private func finishHead(_ ending: WorkerOutcome.Ending) {
    let job = waiting.removeFirst()
    bytesAhead -= job.line.count
    let outcome = WorkerOutcome(
      ending: ending, duration: .now - headStarted, stderrTail: relay.tail, progress: relay.progress)
    if waiting.isEmpty { idle() } else { startHead() }
    onRelease(self, job)
    job.finish(outcome)
  }

  private func idle() {
    idleSince = .now
    RunnerLoop.loop.endExpecting()
  }

  private func breakOff(_ problem: String) {
    dismiss(.blames(.invalidOutput(problem)), grace: .zero)
  }

  private func ended(_ exit: ChildProcess.Exit) {
    relay.finish()
    if verdict == nil, !isTerminated, !isLeaving || !waiting.isEmpty { death = exit }
    isLeaving = true
    let ending = waiting.isEmpty ? nil : blame(for: exit)
    let isOpen = batch != nil && waiting.count > 1
    if let ending, !isOpen { finishHead(ending) }
    if let timer { RunnerLoop.loop.cancel(timer) }
    let left = waiting
    if !left.isEmpty { idle() }
    waiting = []
    onEnd(self, left, isOpen ? ending : nil)
  }

  /// The ending of the first event in the queue; `nil` if no event is to blame.
  private func blame(for exit: ChildProcess.Exit) -> WorkerOutcome.Ending? {
    switch verdict {
    case .blames(let ending): ending
    case .blamesNobody: nil
    case nil: isTerminated ? nil : ending(exit)
    }
  }

  private func ending(_ exit: ChildProcess.Exit) -> WorkerOutcome.Ending {
    switch exit {
    case .signalled(let signal): .crashed(signal: signal)
    case .exited(0): .invalidOutput("The function ended without answering its event.")
    case .exited(let status): .exited(status, output: nil)
    }
  }
}
