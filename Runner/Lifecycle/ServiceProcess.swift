import EventLoop
import FunctionKit
import Logging
import System
import Workers

/// A process that runs beside the functions, such as a local stand-in for something remote.
///
/// It is started again when it ends.
@RunnerLoop
final class ServiceProcess {
  /// How long it may take until it says that it is ready.
  static let startLimit = Duration.seconds(30)

  let name: String
  private let launch: Launch
  private let printer: LogPrinter
  private let log: Log
  private var process: ChildProcess?
  private var output: [UInt8] = []
  private var isAwaited = false
  private var ready: CheckedContinuation<[String: String], any Error>?
  private var isStopping = false
  /// Called when it is ready again after it had ended, with what it offers now.
  var onReturn: (@RunnerLoop ([String: String]) -> Void)?
  private var onEnd: (@RunnerLoop () -> Void)?

  init(name: String, launch: Launch, printer: LogPrinter, log: Log) {
    self.name = name
    self.launch = launch
    self.printer = printer
    self.log = log
  }

  /// Starts it and waits until it is ready.
  ///
  /// - Returns: what it offers to functions: the `environment` of its ready line.
  func start() async throws -> [String: String] {
    let timer = RunnerLoop.loop.schedule(after: Self.startLimit) { [self] in
      fail("The service \(name) did not become ready in \(Self.startLimit.components.seconds) s.")
    }
    defer { RunnerLoop.loop.cancel(timer) }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        ready = $0
        spawn()
      }
    } onCancel: { [self] in
      Task { @RunnerLoop in fail("The service \(name) was not waited for.") }
    }
  }

  /// Ends it, and calls back when it has ended.
  func stop(then done: @escaping @RunnerLoop () -> Void) {
    isStopping = true
    guard let process else { return done() }
    onEnd = done
    process.terminate()
  }

  private func spawn() {
    let relay = StderrRelay { [self] in
      printer.print($0, from: name)
    }
    do {
      let process = try ChildProcess(Program(launch))
      self.process = process
      (output, isAwaited) = ([], true)
      process.watch(
        output: { [self] in receive($0) },
        error: {
          relay.reset()
          relay.receive($0)
        },
        exit: { [self] _ in
          relay.finish()
          ended()
        })
      process.watchOutputs()
    } catch {
      fail("The service \(name) could not be started: \(launch.executable): \(error).")
    }
  }

  private func receive(_ bytes: ArraySlice<UInt8>) {
    guard isAwaited else { return }
    output += bytes
    guard let end = output.firstIndex(of: 0x0A) else { return }
    struct Ready: Decodable { var environment: [String: String]? }
    guard let document = try? RawJSON(validating: output[..<end]),
      let line = try? JSONCoding.decode(Ready.self, from: document)
    else { return fail("The service \(name) did not say on its first line that it is ready.") }
    isAwaited = false
    if let ready {
      self.ready = nil
      ready.resume(returning: line.environment ?? [:])
    } else {
      onReturn?(line.environment ?? [:])
    }
  }

  private func fail(_ sentence: String) {
    ready?.resume(throwing: FunctionError(.failed, sentence))
    ready = nil
  }

  private func ended() {
    process = nil
    fail("The service \(name) ended before it was ready.")
    if isStopping {
      onEnd?()
      onEnd = nil
    } else {
      log.warning("A service ended and is started again", ["service": name])
      RunnerLoop.loop.schedule(after: .seconds(1)) { [self] in if !isStopping { spawn() } }
    }
  }
}
