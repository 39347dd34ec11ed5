import EventLoop
import FunctionKit
import Synchronization

/// Writes to a descriptor on its own thread, so that only this thread waits for a slow reader.
package final class LineWriter: Sendable {
  /// While this many texts wait for the reader, further ones are left out.
  package static let mostWaiting = 8_192

  private let descriptor: Int32
  private let loop = EventLoop(name: "writer")
  private let waiting = Atomic(0)

  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes a text later, after those before it.
  ///
  /// - Returns: `false` if it is left out.
  @discardableResult
  package func write(_ text: String) -> Bool {
    guard waiting.load(ordering: .relaxed) < Self.mostWaiting else { return false }
    waiting.add(1, ordering: .relaxed)
    loop.execute { [self] in
      StandardStreams.write(Array(text.utf8), to: descriptor)
      waiting.subtract(1, ordering: .relaxed)
    }
    return true
  }

  /// Waits until everything is written, at most for this time.
  @RunnerLoop
  package func finish(within limit: Duration) async {
    let end = WakeUp()
    loop.execute { Task { @RunnerLoop in end.signal() } }
    await end.wait(upTo: limit)
  }

  deinit { loop.stop() }
}
