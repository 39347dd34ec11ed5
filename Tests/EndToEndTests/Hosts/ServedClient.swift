import Glibc
import HTTP1
import Synchronization
import TestSupport

/// One client of a server in a test: a thread reads its requests, and any thread may answer them.
final class ServedClient: Sendable {
  /// Gives the answer to a request.
  typealias Reply = @Sendable (HTTP1Answer) -> Void

  private struct State {
    var connection = HTTP1Connection()
    var isOpen = true
  }

  private let state = Mutex(State())
  private let socket: Int32
  private let take: @Sendable (HTTP1Request, @escaping Reply) -> Void

  /// - Parameter take: called with each request.
  init(_ socket: Int32, _ take: @escaping @Sendable (HTTP1Request, @escaping Reply) -> Void) {
    (self.socket, self.take) = (socket, take)
  }

  /// Serves until the client has gone.
  func run() {
    while let bytes = Sockets.receive(socket) { follow(request(of: bytes)) }
    state.withLock { $0.isOpen = false }
    close(socket)
  }

  private func follow(_ request: HTTP1Request?) {
    if let request { take(request) { [self] in answer($0) } }
  }

  /// The request that bytes complete.
  private func request(of bytes: [UInt8]) -> HTTP1Request? {
    state.withLock { state in
      var event = bytes.withUnsafeBytes { state.connection.receive($0) }
      while let present = event {
        switch present {
        case .head: state.connection.expect(7 << 20)
        case .invitation: _ = Sockets.send(HTTP1Connection.invitation[...], to: socket)
        case .tooLarge: state.connection.refuse(HTTP1Answer(status: 413))
        case .malformed(let problem): send(HTTP1Answer(status: problem.status), by: &state)
        case .complete:
          guard let refusal = state.connection.refusal else { return state.connection.take() }
          send(refusal, by: &state)
        }
        event = state.connection.next()
      }
      return nil
    }
  }

  private func answer(_ answer: HTTP1Answer) {
    state.withLock { state in
      if state.isOpen { send(answer, by: &state) }
    }
    follow(request(of: []))
  }

  private func send(_ answer: HTTP1Answer, by state: inout State) {
    state.connection.answer(answer, date: "Thu, 01 Jan 1970 00:00:00 GMT")
    let bytes = state.connection.withUnsent { Array($0) }
    _ = Sockets.send(bytes[...], to: socket)
    state.connection.sent(bytes.count)
    state.connection.finish()
    if state.connection.phase == .leaving { shutdown(socket, Int32(SHUT_WR)) }
  }
}
