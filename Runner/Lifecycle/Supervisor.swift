package import FunctionKit
package import System
import Workers

/// The parts of the server, as one group.
///
/// A part works until it is told to end. When one ends by itself, the log names it and says why, and its policy decides
/// what happens then.
@RunnerLoop
package final class Supervisor {
  /// The consequence when a part has ended by itself.
  package enum Policy {
    /// The part is started again: at once, and after a growing pause while it keeps ending, up to this one.
    case startAgain(after: Duration = RestartBackoff.longest)
    /// The server ends with this code's exit status, and systemd, Kubernetes or Docker can start it again.
    case endServer(FunctionError.Code)
  }

  /// After a part has worked for this long, its pauses start from the shortest one.
  static let steady = Duration.seconds(60)

  private let log: Log
  private let endServer: @RunnerLoop (FunctionError.Code) -> Void
  private var parts: [String: Task<Void, Never>] = [:]
  private var finishing: Set<String> = []

  /// - Parameter endServer: called when a part has ended that the server cannot go on without.
  package init(log: Log, endServer: @escaping @RunnerLoop (FunctionError.Code) -> Void) {
    (self.log, self.endServer) = (log, endServer)
  }

  /// Starts a part.
  ///
  /// - Parameters:
  ///   - part: its name, which no other part has.
  ///   - body: works until the task is cancelled, or until the part is told to end in another way.
  package func start(
    _ part: String, _ policy: Policy = .startAgain(), _ body: @escaping @RunnerLoop () async throws -> Void
  ) {
    precondition(parts[part] == nil, "There are two parts with the name \(part).")
    parts[part] = Task { [self] in await keep(part, policy, body) }
  }

  /// Waits for parts that were told to end.
  package func finish(_ names: String...) async {
    finishing.formUnion(names)
    for name in names { await parts[name]?.value }
  }

  /// Ends parts, all of them if none is named, and waits until they have ended.
  package func cancel(_ names: String...) async {
    let ending = names.isEmpty ? Array(parts.values) : names.compactMap { parts[$0] }
    ending.forEach { $0.cancel() }
    for part in ending { await part.value }
  }

  private func keep(_ part: String, _ policy: Policy, _ body: @RunnerLoop () async throws -> Void) async {
    var backoff = RestartBackoff()
    while !isToEnd(part) {
      let start = ContinuousClock.now
      var cause = "It returned."
      do { try await body() } catch { cause = "\(error)" }
      guard !isToEnd(part) else { return }
      switch policy {
      case .endServer(let code):
        log.error(
          "A part of the server has ended, and the server cannot go on without it: it stops",
          ["part": part, "error.cause": cause, "exit": "\(code.exitStatus)"])
        return endServer(code)
      case .startAgain(let longest):
        if .now - start >= Self.steady { backoff.succeeded() }
        _ = backoff.died(startedAt: start, at: .now)
        let pause = min(backoff.delay, longest)
        log.error(
          "A part of the server has ended and is started again",
          ["part": part, "error.cause": cause, "pause.ms": "\(pause / .milliseconds(1))"])
        try? await Task.sleep(for: pause)
      }
    }
  }

  private func isToEnd(_ part: String) -> Bool { Task.isCancelled || finishing.contains(part) }
}
