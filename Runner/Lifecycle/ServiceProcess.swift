import EventLoop
import FunctionKit
import Logging
import System
import Workers

/// A process that runs beside the functions, such as a local stand-in for something remote.
@RunnerLoop
final class ServiceProcess {
  /// The time in which it must say that it is ready.
  static let startLimit = Duration.seconds(30)

  let name: String
  private let launch: Launch
  private let printer: LogPrinter
  private var process: ChildProcess?
  private var output: [UInt8] = []
  private var isAwaited = false
  private var ready: CheckedContinuation<[String: String], any Error>?
  private var failure: FunctionError?
  private let ended = WakeUp()

  init(name: String, launch: Launch, printer: LogPrinter) {
    self.name = name
    self.launch = launch
    self.printer = printer
  }

  /// Starts it and waits until it is ready; ends it if that takes too long.
  ///
  /// - Returns: the variables that it offers to functions: the `environment` of its ready line.
  func start() async throws -> [String: String] {
    let timer = RunnerLoop.loop.schedule(after: Self.startLimit) { [self] in
      fail("The service \(name) did not become ready in \(Self.startLimit.components.seconds) s.")
    }
    defer { RunnerLoop.loop.cancel(timer) }
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation {
          ready = $0
          spawn()
        }
      } onCancel: { [self] in
        Task { @RunnerLoop in fail("The runner stopped before the service \(name) was ready.") }
      }
    } catch {
      failure = nil
      process?.terminate()
      throw error
    }
  }

  /// Waits until it has ended.
  ///
  /// It is started first if its last end was reported.
  ///
  /// - Parameter whenReady: called when it is ready again, with its present variables.
  /// - Throws: why it ended.
  func run(whenReady: @RunnerLoop ([String: String]) async -> Void) async throws {
    if process == nil, failure == nil { await whenReady(try await start()) }
    while process != nil, !Task.isCancelled { await ended.wait() }
    if let failure = failure.take() { throw failure }
  }

  /// Ends it and waits until it has ended.
  func stop() async {
    process?.terminate()
    while process != nil { await ended.wait(upTo: .seconds(60)) }
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
        exit: { [self] exit in
          relay.finish()
          ended(exit)
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
    ready.take()?.resume(returning: line.environment ?? [:])
  }

  private func fail(_ sentence: String) {
    ready.take()?.resume(throwing: FunctionError(.failed, sentence))
  }

  private func ended(_ exit: ChildProcess.Exit) {
    process = nil
    fail("The service \(name) ended before it was ready.")
    failure = FunctionError(.failed, "The service \(name) ended \(exit.words).")
    ended.signal()
  }
}

extension ChildProcess.Exit {
  fileprivate var words: String {
    switch self {
    case .exited(let status): "with exit status \(status)"
    case .signalled(let signal): "by signal \(signal)"
    }
  }
}
