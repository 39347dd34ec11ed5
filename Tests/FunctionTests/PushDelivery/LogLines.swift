import FunctionKit
import Synchronization

/// A log that can be asked what was written.
final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  var log: Log {
    Log { [self] line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
  }

  /// How many lines hold a text.
  func count(_ text: String) -> Int { lines.withLock { $0.count { $0.contains(text) } } }

  var all: [String] { lines.withLock(\.self) }
}
