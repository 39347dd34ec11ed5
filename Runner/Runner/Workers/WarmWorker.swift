import EventLoop
import FunctionKit

/// A `--stream` process with the events that stand in its line.
///
/// Events are written ahead, so that the process never waits for the next one; answers come in the same order. The
/// time limit of an event begins when it is first in the line, and a crash counts against that event only: the others
/// go back to the pool.
@RunnerLoop
final class WarmWorker {
  private let process: ChildProcess
  private let relay: StderrRelay
  private let timeout: Int
  private let onEnd: @RunnerLoop (WarmWorker, [Job]) -> Void
  private let onAnswer: @RunnerLoop () -> Void
  private var waiting: [Job] = []
  private var output: [UInt8] = []
  private var headStarted = ContinuousClock.now
  private var timer: TimerID?
  private var verdict: WorkerOutcome.Ending?
  private(set) var answered = 0
  private(set) var idleSince = ContinuousClock.now
  /// Whether it was told to end and takes nothing more.
  private(set) var isLeaving = false

  /// How many events stand in its line.
  var load: Int { waiting.count }

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - onAnswer: called after each answer: there is room again.
  ///   - onEnd: called when the process has ended, with the events that another one must take.
  init(
    launch: Launch, timeout: Int, relay: StderrRelay, onAnswer: @escaping @RunnerLoop () -> Void,
    onEnd: @escaping @RunnerLoop (WarmWorker, [Job]) -> Void
  ) throws(SpawnError) {
    self.relay = relay
    self.timeout = timeout
    self.onAnswer = onAnswer
    self.onEnd = onEnd
    var launch = launch
    launch.arguments.append("--stream")
    process = try ChildProcess(launch)
    process.watch(
      output: { [self] in receive($0) }, error: { relay.receive($0) }, exit: { [self] in ended($0) })
  }

  func take(_ job: Job) {
    waiting.append(job)
    if waiting.count == 1 { startHead() }
    process.write(job.line)
  }

  /// Lets it finish its line and end.
  func leave() {
    guard !isLeaving else { return }
    isLeaving = true
    process.closeInput()
    if waiting.isEmpty { process.terminate() }
  }

  /// Ends it now.
  func terminate() {
    isLeaving = true
    process.terminate()
  }

  private func startHead() {
    headStarted = .now
    relay.reset()
    if timer == nil { watchHead() }
  }

  /// Sets one timer for whatever is first in the line: it is set again when it finds a younger event, not for each.
  private func watchHead() {
    timer = RunnerLoop.loop.schedule(after: .seconds(timeout) - (.now - headStarted)) { [self] in
      timer = nil
      guard !waiting.isEmpty, verdict == nil else { return }
      guard .now - headStarted >= .seconds(timeout) else { return watchHead() }
      isLeaving = true
      verdict = .timedOut(seconds: timeout)
      process.terminate()
    }
  }

  private func receive(_ bytes: ArraySlice<UInt8>) {
    guard verdict == nil else { return }
    var rest = bytes
    while let end = rest.firstIndex(of: 0x0A) {
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
    output += rest
    if output.count > OneShotRun.mostOutput {
      breakOff("The function wrote more than \(OneShotRun.mostOutput) bytes on stdout.")
    }
  }

  private func answer(_ line: ArraySlice<UInt8>) {
    guard verdict == nil, let job = waiting.first else {
      return breakOff("The function wrote on stdout without being asked.")
    }
    guard let answer = StreamAnswer(line), answer.id == nil || answer.id == job.id else {
      return breakOff("The function's stdout is not the answer to its event.")
    }
    finishHead(.exited(answer.exit, output: answer.output))
    answered += 1
    onAnswer()
  }

  private func finishHead(_ ending: WorkerOutcome.Ending) {
    let job = waiting.removeFirst()
    let outcome = WorkerOutcome(ending: ending, duration: .now - headStarted, stderrTail: relay.tail)
    if waiting.isEmpty { idleSince = .now } else { startHead() }
    job.finish(outcome)
    if isLeaving, waiting.isEmpty { process.terminate() }
  }

  private func breakOff(_ problem: String) {
    guard verdict == nil else { return }
    isLeaving = true
    verdict = .invalidOutput(problem)
    output = []
    process.terminate(grace: .zero)
  }

  private func ended(_ exit: ChildProcess.Exit) {
    relay.finish()
    let planned = isLeaving && verdict == nil
    isLeaving = true
    if !waiting.isEmpty, !planned { finishHead(verdict ?? ending(exit)) }
    if let timer { RunnerLoop.loop.cancel(timer) }
    let left = waiting
    waiting = []
    onEnd(self, left)
  }

  private func ending(_ exit: ChildProcess.Exit) -> WorkerOutcome.Ending {
    switch exit {
    case .signalled(let signal): .crashed(signal: signal)
    case .exited(0): .invalidOutput("The function ended without answering its event.")
    case .exited(let status): .exited(status, output: nil)
    }
  }
}

/// One line of a `--stream` function's answers.
private struct StreamAnswer {
  var id: String?
  var exit: Int32 = 0
  var output: RawJSON?

  init?(_ line: ArraySlice<UInt8>) {
    guard let members = try? RawJSON.members(validating: line) else { return nil }
    var exit: Int32?
    for member in members {
      switch member.name {
      case "id": id = member.value.stringValue
      case "exit": exit = member.value.intValue.flatMap(Int32.init(exactly:))
      case "result", "error": output = member.value
      default: break
      }
    }
    guard let exit else { return nil }
    self.exit = exit
  }
}
