import FunctionKit
import Synchronization

/// Lines of a log.
final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  var log: Log { Log { [self] line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } } }

  func count(of text: String) -> Int { lines.withLock { $0.count { $0.contains(text) } } }

  func contain(_ text: String) -> Bool { count(of: text) > 0 }
}
