import Dispatch
import Foundation
import Glibc

/// Ends the programs that tests have started, when the test program is told to end.
///
/// They are not in its terminal's group. Code that waits for them gives up and cleans up.
package struct Interruption {
  private let sources: [any DispatchSourceSignal]

  /// Watches for SIGINT and SIGTERM as long as somebody holds this.
  ///
  /// - Parameter work: is cancelled.
  package init<Answer: Sendable>(of work: Task<Answer, any Error>) {
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        work.cancel()
        for child in Self.children { kill(child, SIGTERM) }
      }
      source.activate()
      return source
    }
  }

  private static var children: [pid_t] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.flatMap { thread in
      let text = try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)
      return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
  }
}
