import FunctionKit
import Gateway
import System

// What systemd, or another service manager that has set `NOTIFY_SOCKET`, is told.
extension Server {
  /// Says that calls are answered and events taken, and from then on that this thread goes on working.
  func tellServiceManager() {
    guard let manager else { return }
    manager.tell("READY=1", "STATUS=\(serviceStatus)")
    supervisor.start("service manager") { [self] in
      while !Task.isCancelled {
        manager.tell("WATCHDOG=1", "STATUS=\(serviceStatus)")
        try await Task.sleep(for: manager.beat)
      }
    }
  }

  private var serviceStatus: String {
    guard let queue else { return "Starting" }
    let problems = problems(of: queue)
    guard !problems.isEmpty else { return "Serving \(pools.count) functions at \(url)" }
    return "Not ready: \(problems.map(\.text).joined(separator: ", "))"
  }
}

extension Readiness.Problem {
  fileprivate var text: String {
    switch self {
    case .database: "the database does not answer"
    case .partitions: "other runners have all parts of the queue"
    case .draining: "it is about to end"
    }
  }
}
