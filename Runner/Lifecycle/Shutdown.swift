import FunctionKit
import System

/// The end of a server: somebody asks for it by a signal, or the server cannot go on.
@RunnerLoop
final class Shutdown {
  private(set) var isAsked = false
  /// The exit status: 0 unless the server had to stop by itself.
  private(set) var status: Int32 = 0
  private let asked = WakeUp()
  /// Cancels the work of ``untilAsked(_:)``.
  private var breakOff: (@RunnerLoop () -> Void)?

  /// From now on a signal stops the server in order, even while it starts.
  func followSignals() { Signals.watch { [self] in ask() } }

  /// The server stops although nobody asked for it.
  func giveUp(_ code: FunctionError.Code) {
    status = code.exitStatus
    ask()
  }

  private func ask() {
    isAsked = true
    asked.signal()
    breakOff?()
  }

  /// Waits for work, which a signal cancels.
  func untilAsked<Answer: Sendable>(
    _ work: @escaping @RunnerLoop () async throws -> Answer
  ) async throws -> Answer {
    let task = Task { try await work() }
    breakOff = { task.cancel() }
    defer { breakOff = nil }
    if isAsked { task.cancel() }
    return try await task.value
  }

  /// Waits until the server is asked to end, and then until the seconds are over or it is asked again.
  func wait(draining seconds: Int, log: Log) async {
    guard !isAsked else { return }
    while !isAsked { await asked.wait(upTo: .seconds(3_600)) }
    guard seconds > 0 else { return }
    log.info("Draining", ["seconds": "\(seconds)"])
    await asked.wait(upTo: .seconds(seconds))
  }
}
