import EventLoop
import Glibc
import HTTP1
import System

// An answer without an end.
extension ClientConnection: AnswerStream {
  /// A client that leaves more than this unread is left.
  static let mostUnread = 262_144

  /// Begins to send an answer whose end is open.
  func stream(_ head: HTTP1Answer, for request: HTTP1Request) {
    server.answers(head.status)
    closesAfterwards = true
    (output, sent) = (head.openHead(date: server.date()), 0)
    enter(.streaming)
    watch(.read)
    server.serve(self, for: request)
    flush()
  }

  package func send(_ bytes: [UInt8]) {
    guard phase == .streaming else { return }
    guard output.count - sent + bytes.count <= Self.mostUnread else { return close() }
    output += bytes
    flush()
  }

  package func end() {
    guard phase == .streaming else { return }
    noteEnd()
    enter(.answering)
    send()
  }

  /// Sends what the client takes at once.
  func flush() {
    guard phase == .streaming else { return }
    while sent < output.count {
      let count = output.withUnsafeBytes { bytes in
        Glibc.send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EAGAIN { return watch([.read, .write]) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return close() }
      sent += count
    }
    (output, sent) = ([], 0)
    watch(.read)
  }

  /// Says once that nothing more is wanted.
  func noteEnd() {
    let onEnd = onEnd
    self.onEnd = nil
    onEnd?()
  }
}
