import Dispatch
import Foundation
import Glibc

/// What happens when the benchmark is told to end: so do the programs it has started, which are not in its terminal's
/// group, and what waits for them gives up and cleans up.
struct Interruption {
  private let sources: [any DispatchSourceSignal]

  /// - Parameter work: is cancelled; it is watched as long as somebody holds this.
  init(of work: Task<Bool, any Error>) {
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
