import EventLoop
import FunctionKit
import System

/// One process for one event: the event on stdin, the result on stdout, the verdict in the exit status.
@RunnerLoop
final class OneShotRun {
  /// More than this on stdout is a broken function.
  static let mostOutput = 6 << 20

  /// How often somebody looks after the outputs of a young process.
  ///
  /// Most end before, and then watching them has cost nothing. A pipe holds 64 KiB until then.
  static let lookInterval = Duration.milliseconds(10)
  /// From this age on, and after its first words, its outputs are watched.
  static let youth = Duration.milliseconds(100)

  let job: Job
  private let process: ChildProcess
  var processID: ProcessID { process.processID }
  private let relay: StderrRelay
  let started = ContinuousClock.now
  private let timeout: Int
  private var timer: TimerID?
  private var timedOut = false
  private var isBrokenOff = false
  private var output: [UInt8] = []
  private var overflowed = false
  /// Whether its outputs are not watched yet.
  private(set) var isUnwatched = true

  /// The id of its event.
  var id: String { job.id }

  /// Starts the process.
  ///
  /// - Parameter onEnd: called after the job has been finished.
  init(
    _ job: Job, program: Program, timeout: Int, relay: StderrRelay,
    onEnd: @escaping @RunnerLoop (OneShotRun, WorkerOutcome.Ending) -> Void
  ) throws(SpawnError) {
    self.job = job
    self.timeout = timeout
    self.relay = relay
    relay.reset(for: job.id)
    process = try ChildProcess(program, input: job.line)
    process.watch(
      output: { [self] in receive($0) }, error: { relay.receive($0) },
      exit: { [self] exit in
        let ending = ending(exit)
        end(ending)
        onEnd(self, ending)
      })
    timer = RunnerLoop.loop.schedule(after: .seconds(timeout)) { [self] in
      timedOut = true
      process.terminate()
    }
  }

  /// Takes what it has written, and watches its outputs from now on if it may write more than a pipe holds.
  func look() {
    guard isUnwatched, process.deliverOutputs() || .now - started >= Self.youth else { return }
    isUnwatched = false
    process.watchOutputs()
  }

  /// Ends the process early, because the runner stops: what it does not answer then ends as stopped.
  func terminate() {
    isBrokenOff = true
    process.terminate()
  }

  private func receive(_ bytes: ArraySlice<UInt8>) {
    guard !overflowed else { return }
    output += bytes
    if output.count > Self.mostOutput {
      overflowed = true
      output = []
      process.terminate(grace: .zero)
    }
  }

  private func end(_ ending: WorkerOutcome.Ending) {
    if let timer { RunnerLoop.loop.cancel(timer) }
    relay.finish()
    job.finish(
      WorkerOutcome(ending: ending, duration: .now - started, stderrTail: relay.tail, progress: relay.progress))
  }

  private func ending(_ exit: ChildProcess.Exit) -> WorkerOutcome.Ending {
    if timedOut { return .timedOut(seconds: timeout) }
    if overflowed { return .invalidOutput("The function wrote more than \(Self.mostOutput) bytes on stdout.") }
    switch exit {
    case .exited(0):
      guard output.contains(where: { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }) else {
        // It may have obeyed SIGTERM and left its event undone.
        return isBrokenOff ? .stopped : .exited(0, output: nil)
      }
      guard let document = try? RawJSON(validating: output[...]) else {
        return .invalidOutput("The function's stdout is not one JSON document.")
      }
      // A program may answer its event in a stream's words: a failure is never taken for a result.
      guard let answer = StreamAnswer(output[...]), answer.id == job.id else { return .exited(0, output: document) }
      return .exited(answer.exit, output: answer.output)
    case _ where isBrokenOff: return .stopped
    case .signalled(let signal): return .crashed(signal: signal)
    case .exited(let status):
      return .exited(status, output: (try? RawJSON(validating: output[...]))?["error"])
    }
  }
}
