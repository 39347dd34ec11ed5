import CLinux
import Glibc
import Platform
import Synchronization

/// A server on a free loopback port that treats every connection by one script and keeps what it was sent.
package final class ScriptedServer: Sendable {
  package enum Script: Sendable {
    /// Answers with these bytes and closes.
    case answer(String)
    /// Answers with the first one, then with the second, and at last always with the last, and closes each time.
    case answers([String])
    /// Answers the first request of each connection, and closes without a word when a second one has come on it.
    case answerOnce(String)
    /// Says this after the first bytes, no matter what they are, and closes.
    case greeting(String)
    /// Reads and says nothing until the client leaves.
    case silence
    /// Closes without a word.
    case hangUp
    /// Sends bytes until the client leaves.
    case flood(head: String)
  }

  package let port: Int
  private let listener: Int32
  private let script: Script
  private let received = Mutex<[String]>([])

  /// - Parameter port: a free one where it is not given.
  package init(_ script: Script, port: Int = 0) throws {
    self.script = script
    (listener, self.port) = try boundSocket(port)
    guard listen(listener, 16) == 0 else { throw SocketFailure() }
    BackgroundThread.start { self.acceptAll() }
  }

  package var requests: [String] { received.withLock { $0 } }

  package func stop() {
    _ = shutdown(listener, Int32(SHUT_RDWR))
  }

  private func acceptAll() {
    while true {
      let connection = acceptConnection(listener)
      guard connection >= 0 else { break }
      serve(connection)
      _ = close(connection)
    }
    _ = close(listener)
  }

  private func serve(_ connection: Int32) {
    switch script {
    case .answer(let text):
      let request = readRequest(connection)
      received.withLock { $0.append(request) }
      _ = sendAll(text, to: connection)
    case .answers(let texts):
      let request = readRequest(connection)
      let count = received.withLock {
        $0.append(request)
        return $0.count
      }
      _ = sendAll(texts[min(count, texts.count) - 1], to: connection)
    case .answerOnce(let text):
      let request = readRequest(connection)
      received.withLock { $0.append(request) }
      if sendAll(text, to: connection) { _ = readRequest(connection) }
    case .greeting(let text):
      _ = readSome(connection)
      _ = sendAll(text, to: connection)
    case .silence: while readSome(connection) != nil {}
    case .hangUp: _ = readSome(connection)
    case .flood(let head):
      _ = readRequest(connection)
      guard sendAll(head, to: connection) else { return }
      let block = String(repeating: "x", count: 65_536)
      while sendAll(block, to: connection) {}
    }
  }

  private func readRequest(_ connection: Int32) -> String {
    var text = ""
    while let part = readSome(connection) {
      text += part
      guard let end = text.firstRange(of: "\r\n\r\n") else { continue }
      let head = text[..<end.lowerBound].lowercased()
      let length = head.firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
      if text[end.upperBound...].utf8.count >= length { break }
    }
    return text
  }
}

package struct SocketFailure: Error {}

/// The next connection of a listener; negative when there is none.
///
/// Processes that other tests start meanwhile do not inherit it: they would keep it open after its end.
package func acceptConnection(_ listener: Int32) -> Int32 {
  accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
}

/// A stream socket bound to a port of 127.0.0.1, a free one if it is 0; not listening yet.
package func boundSocket(_ port: Int = 0) throws -> (descriptor: Int32, port: Int) {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var yes: Int32 = 1
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
  let address = SocketAddress(host: "127.0.0.1", port: UInt16(port))
  guard address?.withPointer({ bind(descriptor, $0, $1) }) == 0 else { throw SocketFailure() }
  return (descriptor, Int(SocketAddress { getsockname(descriptor, $0, $1) }.port))
}

private func readSome(_ connection: Int32) -> String? {
  var buffer = [UInt8](repeating: 0, count: 16_384)
  let count = read(connection, &buffer, buffer.count)
  return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
}

private func sendAll(_ text: String, to connection: Int32) -> Bool {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let sent = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard sent > 0 else { return false }
    bytes = bytes.dropFirst(sent)
  }
  return true
}
